// Lines of a chart that grow together over one clock, with Play, a slider, and where each line stands now.

const RACE_MILLISECONDS = 6000;
const races = new WeakMap(); // by the element of the chart

class Race {
  constructor(box, element) {
    this.element = element;
    [this.button, this.slider, this.clock, this.standing, this.verdict] = ["play", "scrub", "clock", "standing", "verdict"].map((name) => box.querySelector(`.race-${name}`));
    this.button.onclick = () => (this.isPlaying ? this.pause() : this.play());
    this.slider.oninput = () => { this.pause(); this.goTo((Number(this.slider.value) / 1000) * this.end); };
  }

  /** Another race begins by itself; the same one, drawn anew, goes on where it was. */
  set(race, figure) {
    const key = JSON.stringify(race);
    this.lines = figure.data.slice(0, race.lines + race.grey).map((line, number) => ({ ...line, isGrey: number >= race.lines }));
    [this.end, this.verdicts] = [race.end, race.verdicts];
    if (key === this.key) return this.goTo(this.at);
    this.key = key;
    this.verdict.replaceChildren(...this.verdicts.map((sentence) => Object.assign(document.createElement("p"), { textContent: sentence })));
    this.goTo(0);
    this.play();
  }

  play() {
    if (this.at >= this.end) this.goTo(0);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.goTo(this.end);
    this.isPlaying = true;
    this.label();
    const from = this.at, began = performance.now();
    const step = (now) => {
      if (!this.isPlaying) return;
      this.goTo(Math.min(from + ((now - began) / RACE_MILLISECONDS) * this.end, this.end));
      if (this.at < this.end) requestAnimationFrame(step);
      else this.pause();
    };
    requestAnimationFrame(step);
  }

  pause() {
    this.isPlaying = false;
    this.label();
  }

  label() {
    this.button.textContent = this.isPlaying ? "Pause" : this.at >= this.end ? "Play again" : "Play";
  }

  goTo(at) {
    this.at = at;
    const shown = this.lines.map((line) => clipped(line.x, line.y, at));
    window.Plotly.restyle(this.element, { x: shown.map(([x]) => x), y: shown.map(([, y]) => y) }, this.lines.map((_, number) => number));
    this.slider.value = String(Math.round((1000 * at) / this.end));
    this.slider.setAttribute("aria-valuetext", `${at.toFixed(1)} seconds of training`);
    this.clock.textContent = `${at.toFixed(1)} s`;
    const now = this.lines.map((line, number) => ({ line, value: shown[number][1].at(-1) })).sort((a, b) => a.line.isGrey - b.line.isGrey || b.value - a.value);
    this.standing.replaceChildren(...now.map(({ line, value }) => {
      const entry = document.createElement("span"), dot = document.createElement("i");
      dot.style.background = line.marker.color;
      entry.append(dot, `${plainText(line.name)} ${(100 * value).toFixed(1)} %${line.isGrey ? ", not in the race" : ""}`);
      return entry;
    }));
    const isOver = at >= this.end;
    this.verdict.classList.toggle("early", !isOver);
    this.label();
  }

  close() { this.isPlaying = false; }
}

/** The line as far as x = `at`; between two points it ends on the way. */
function clipped(x, y, at) {
  let count = 0;
  while (count < x.length && x[count] <= at) count++;
  const [seconds, values] = [x.slice(0, count), y.slice(0, count)];
  if (count && count < x.length && seconds.at(-1) < at) {
    const share = (at - x[count - 1]) / (x[count] - x[count - 1]);
    seconds.push(at);
    values.push(y[count - 1] + share * (y[count] - y[count - 1]));
  }
  return count ? [seconds, values] : [[x[0]], [y[0]]];
}

/** Names come escaped for plotly. */
function plainText(name) {
  return new DOMParser().parseFromString(name, "text/html").body.textContent;
}

function raceOn(element, race, figure) {
  const box = element.parentElement.querySelector(".race");
  box.hidden = !race;
  if (!race) return races.get(element)?.close();
  if (!races.has(element)) races.set(element, new Race(box, element));
  races.get(element).set(race, figure);
}
