// The slider between frames: drag, keys, play, pause and repeat; before → after, or the name of the frame of a film.

const PLAYED_PER_FRAME = [1500, 600, 150]; // milliseconds: of two frames, at most and at least of a film's
const FILM_MILLISECONDS = 12000;
const LONGEST_STEP = 400; // milliseconds: a browser that was busy goes on from where it was, and skips nothing
const ROUNDING = 1e-6; // so near a frame, sums of steps stand on it
const END_MILLISECONDS = 600; // so long both ends are shown: before points leave the first, and when played again and again

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
    this.part("repeat").addEventListener("click", () => this.repeat(!this.repeats));
    this.repeat(false);
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
    const frame = Math.round(at), exactly = Math.abs(at - frame) < ROUNDING ? frame : at;
    this.at = Math.min(Math.max(exactly, 0), Math.max(last, 0));
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

  /** Forward from here to the end, from the end anew from the start; with `repeats` again and again. */
  play() {
    const frames = this.names.length - 1, [pair, most, least] = PLAYED_PER_FRAME;
    const perFrame = frames > 1 ? Math.min(Math.max(FILM_MILLISECONDS / frames, least), most) : pair;
    const isAtEnd = () => this.at >= frames;
    const go = (at) => { this.show(at); this.moved(this.at); };
    if (isAtEnd()) go(0);
    this.mark(true);
    let before = performance.now(), waited = 0, rest = this.at === 0 ? END_MILLISECONDS : 0;
    const next = (now) => {
      if (!this.playing) return;
      if (isAtEnd() && !this.repeats) return this.pause();
      this.playing = requestAnimationFrame(next);
      const passed = Math.min(Math.max(now - before, 0), LONGEST_STEP);
      before = now;
      rest -= passed;
      if (rest > 0) return;
      if (isAtEnd()) { go(0); rest = END_MILLISECONDS; return; }
      waited += passed / perFrame;
      const step = isStill() ? Math.floor(waited) : waited; // without motion: from frame to frame
      waited -= step;
      if (step) go(this.at + step);
      if (isAtEnd()) rest = END_MILLISECONDS;
    };
    this.playing = requestAnimationFrame(next);
  }

  repeat(wanted) {
    this.repeats = wanted;
    this.part("repeat").setAttribute("aria-pressed", String(wanted));
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

/** Title and corner with the slider at `at`: those of the frame there; what is measured belongs to frames, not between. */
function toldAt(told, at) {
  if (told.length === 1 || Number.isInteger(at)) return told[Math.min(at, told.length - 1)];
  const share = Math.min(Math.max(Math.round((at % 1) * 100), 1), 99), hasCorner = told[Math.floor(at)][1] || told[Math.ceil(at)][1];
  return [`Between: ${share} % of the way`, hasCorner && "Nothing is measured between"];
}
