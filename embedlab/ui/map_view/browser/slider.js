// The slider between frames: drag, keys, play and pause; before ↔ after, or the name of the frame of a film.

const PLAYED_PER_FRAME = [1500, 600, 150]; // milliseconds: of two frames, at most and at least of a film's
const FILM_MILLISECONDS = 12000;

class Slider {
  /** `moved(at)`: the reader, or playing, has brought it to this place. */
  constructor(element, moved) {
    this.element = element;
    this.moved = moved;
    this.part = (name) => element.querySelector(`.${name}`);
    this.range = element.querySelector("input");
    this.names = [];
    this.range.addEventListener("input", () => { this.pause(); this.show(Number(this.range.value)); this.moved(this.at); });
    this.range.addEventListener("keydown", (event) => this.key(event));
    this.part("play").addEventListener("click", () => (this.playing ? this.pause() : this.play()));
  }

  set(names, at) {
    this.names = names;
    this.element.hidden = names.length < 2;
    this.range.max = Math.max(names.length - 1, 1);
    this.part("first").textContent = names[0];
    this.part("last").textContent = names.at(-1);
    this.part("now").hidden = names.length < 3;
    const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
    this.part("now").style.minWidth = `${longest}ch`;
    this.range.setAttribute("aria-label", names.length > 2 ? "Frame of the film" : `From ${names[0]} to ${names.at(-1)}`);
    this.show(at);
  }

  show(at) {
    const last = this.names.length - 1;
    this.at = Math.min(Math.max(at, 0), Math.max(last, 0));
    this.range.value = this.at;
    const name = this.names[Math.round(this.at)] ?? "", between = Math.round((this.at / last) * 100);
    this.part("now").textContent = name;
    const isAtEnd = this.at === 0 || this.at === last;
    this.range.setAttribute("aria-valuetext", last > 1 || isAtEnd ? name : `${between} % of the way to ${this.names[last]}`);
    this.range.style.setProperty("--done", `${(this.at / Math.max(last, 1)) * 100}%`);
  }

  key(event) {
    const last = this.names.length - 1, step = last > 1 ? 1 : 0.1;
    const from = last > 1 ? Math.round(this.at) : this.at;
    const wanted = { ArrowRight: from + step, ArrowUp: from + step, ArrowLeft: from - step, ArrowDown: from - step, Home: 0, End: last,
      PageUp: from + Math.max(1, last / 10) * step * 2, PageDown: from - Math.max(1, last / 10) * step * 2 }[event.key];
    if (event.key === " ") this.playing ? this.pause() : this.play();
    else if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    else { this.pause(); this.show(Number(wanted.toFixed(6))); this.moved(this.at); }
    event.preventDefault();
  }

  /** From here to the end; from the end, of a film from its start, of two frames back to the first. */
  play() {
    const last = this.names.length - 1, isFilm = last > 1, isAtEnd = this.at >= last - 1e-6;
    const [pair, most, least] = PLAYED_PER_FRAME;
    if (isFilm && isAtEnd) { this.show(0); this.moved(0); }
    const direction = !isFilm && isAtEnd ? -1 : 1, perFrame = isFilm ? Math.min(Math.max(FILM_MILLISECONDS / last, least), most) : pair;
    this.mark(true);
    let before = performance.now(), waited = 0;
    const next = (now) => {
      if (!this.playing) return;
      const passed = Math.max(now - before, 0) / perFrame;
      before = now;
      waited += passed;
      const step = isStill() ? Math.floor(waited) : passed; // without motion: from frame to frame
      if (isStill()) waited -= step;
      if (step) { this.show(this.at + direction * step); this.moved(this.at); }
      if (this.at >= this.names.length - 1 && direction > 0 || this.at <= 0 && direction < 0) return this.pause();
      this.playing = requestAnimationFrame(next);
    };
    this.playing = requestAnimationFrame(next);
  }

  pause() {
    cancelAnimationFrame(this.playing);
    this.playing = undefined;
    this.mark(false);
  }

  mark(playing) {
    this.element.classList.toggle("playing", playing);
    this.part("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    this.part("play").title = playing ? "Pause" : "Play";
  }
}
