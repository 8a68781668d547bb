// Where every point lies: frames of sixteen-bit numbers, and the place between two of them that is shown.

const STEPS = 65535; // as plane.py

class Film {
  /** `frames`: {id, name, whole: Uint16Array (x, y of each point), box: [left, bottom, right, top]} */
  constructor(frames, at = frames.length - 1) {
    this.frames = frames;
    this.count = frames[0].whole.length / 2;
    this.at = at;
  }

  get last() { return this.frames.length - 1; }
  get at() { return this.place; }
  set at(place) {
    this.place = Math.min(Math.max(place, 0), this.last);
    this.from = this.frames[Math.floor(this.place)];
    this.share = this.place - Math.floor(this.place);
    this.to = this.share ? this.frames[Math.floor(this.place) + 1] : this.from;
    this.resting = null;
  }

  /** The same arithmetic, in the same order, as drawn.py: the server finds the same points in a lasso. */
  x(point) { return this.along(2 * point, 0); }
  y(point) { return this.along(2 * point + 1, 1); }

  along(index, axis) {
    const { whole, box } = this.from, start = box[axis] + (whole[index] / STEPS) * (box[axis + 2] - box[axis]);
    if (!this.share) return start;
    const other = this.to, end = other.box[axis] + (other.whole[index] / STEPS) * (other.box[axis + 2] - other.box[axis]);
    return start + (end - start) * this.share;
  }

  /** All places as they are now, for the grid and the names.  -> x, y of each point */
  get places() {
    if (this.resting) return this.resting;
    const places = new Float32Array(2 * this.count);
    for (let index = 0; index < places.length; index++) places[index] = this.along(index, index & 1);
    return (this.resting = places);
  }

  /** Which frames the points stand at: one id, or both with a space between. */
  get id() { return this.share ? `${this.from.id} ${this.to.id}` : this.from.id; }

  /** The corners of all frames together. */
  get bounds() {
    return this.frames.slice(1).reduce((bounds, { box }) => unionOf(bounds, box), [...this.frames[0].box]);
  }

  /** The places shown now as one frame, to begin a way from. */
  frozen() {
    if (!this.share) return this.from;
    const { places } = this, box = boundsOf(places), whole = new Uint16Array(places.length);
    for (let index = 0; index < whole.length; index++) {
      const axis = index % 2;
      whole[index] = Math.round(((places[index] - box[axis]) / (box[axis + 2] - box[axis] || 1)) * STEPS);
    }
    return { id: `frozen ${performance.now()}`, name: "", whole, box };
  }
}

/** A frame as the server sends it: four float64, then x and y of each point as uint16. */
function frameOf(id, name, content) {
  return { id, name, box: [...new Float64Array(content, 0, 4)], whole: new Uint16Array(content, 32) };
}

function unionOf(first, second) {
  return first.map((value, side) => (side < 2 ? Math.min : Math.max)(value, second[side]));
}

/** Something that takes a while, step by step, at most one at a time; without motion for those who asked for none. */
class Motion {
  get isRunning() { return this.frame !== undefined; }

  start(milliseconds, step, done = () => {}) {
    this.finish();
    this.ending = () => { step(1); done(); };
    if (isStill()) return this.finish();
    const began = performance.now();
    const next = (now) => {
      const share = Math.min(Math.max((now - began) / milliseconds, 0), 1);
      if (share === 1) return this.finish();
      this.frame = requestAnimationFrame(next);
      step(share * share * (3 - 2 * share));
    };
    this.frame = requestAnimationFrame(next);
  }

  /** At its end, now. */
  finish() {
    const ending = this.ending;
    this.stop();
    ending?.();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = this.ending = undefined;
  }
}

const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
