// One training in the browser, a little at each frame: so that a map and a line can follow it.

const EVALUATIONS = 15, DRAWN = 400, BUDGET = 10, SETTLE = 150; // milliseconds of a frame; frames of the map after the end

const writtenCosine = (value) => (Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2).replace("-", "−"));

/** One encoder with its line so far; `clock`: what is limited to `limit`, one of steps, texts, seconds. */
class Lane {
  constructor(corpus, settings, seed, clock, limit) {
    Object.assign(this, { clock, limit, seconds: 0 });
    if (clock === "texts") settings = { ...settings, steps: Math.ceil(limit / Math.min(settings.batch, corpus.count)) };
    this.pocket = new Pocket(corpus, settings, seed);
    this.line = [[0, this.pocket.accuracy()]];
    this.cosine = this.pocket.meanCosine();
  }

  /** How much lies behind it, 0 … 1. */
  get share() { return this.clock === "seconds" ? Math.min(this.seconds / this.limit, 1) : this.pocket.step / this.pocket.settings.steps; }
  get isOver() { return this.share >= 1; }
  get place() { return this.clock === "seconds" ? Math.min(this.seconds, this.limit) : this.clock === "texts" ? this.pocket.step * this.pocket.batch : this.pocket.step; }

  step() {
    const began = performance.now();
    if (this.clock === "seconds") this.pocket.train(this.share, 0.01); else this.pocket.train();
    this.seconds += (performance.now() - began) / 1000;
    if (this.share * EVALUATIONS >= this.line.length || this.isOver) {
      this.line.push([this.place, this.pocket.accuracy()]);
      this.cosine = this.pocket.meanCosine();
    }
  }
}

/** Lanes that train beside each other, and the map of the first; `changed(training)` after each frame: `hasGrown` where a line did, `hasEnded` at the end. */
class Training {
  constructor(lanes, live, changed, budget = BUDGET) {
    Object.assign(this, { lanes, live, changed, budget, frames: 0, settling: SETTLE });
    this.next();
  }

  get isOver() { return this.lanes.every((lane) => lane.isOver); }
  next() { this.asked = requestAnimationFrame(() => this.frame()); }
  end() { cancelAnimationFrame(this.asked); }

  frame() {
    const until = performance.now() + this.budget;
    while (!this.isOver && performance.now() < until) this.lanes.filter((lane) => !lane.isOver).sort((one, other) => one.share - other.share)[0].step();
    this.frames++;
    const points = this.lanes.reduce((sum, lane) => sum + lane.line.length, 0);
    [this.hasGrown, this.points] = [points !== this.points, points];
    this.hasEnded = this.isOver && this.settling-- === SETTLE;
    this.live?.follow(this.lanes[0].pocket, this.isOver ? 3 : 2);
    this.changed(this);
    if (!this.isOver || (this.live && this.settling > 0)) this.next();
  }
}

/** The map of some texts of a pocket, test texts among them, which goes on from where it was; `picked(text)` when a test text is clicked. */
class PocketMap extends LessonMap {
  constructor(place, corpus, picked = null) {
    const { test, train, labels, classes, count } = corpus, tested = Math.round((DRAWN * test.length) / count) * (picked ? 2 : 1), isTest = new Set(test);
    const texts = count <= DRAWN ? [...labels.keys()] : [...test.slice(0, tested), ...train].slice(0, DRAWN);
    const label = `Map of ${texts.length} texts of ${classes.length} topics.${picked ? " Click a test text, or press Another text." : ""}`;
    super(place, { classes, label, categories: texts.map((text) => labels[text]), picked: picked && ((point) => picked(texts[point])), accepts: (point) => isTest.has(texts[point]) });
    Object.assign(this, { texts, placeOf: new Map(texts.map((text, point) => [text, point])) });
    this.begin();
  }

  /** Anew, from random places. */
  begin() { [this.places, this.frames] = [new LiveMap(this.texts.length), 0]; }

  /** At every other frame neighbors anew for a few texts; then some steps of the places. */
  follow(pocket, moves) {
    if (this.frames++ % 2 === 0) this.places.look(pocket.embed(this.texts), this.places.near ? 60 : this.texts.length);
    for (let move = 0; move < moves; move++) this.places.move();
    this.live(this.places.places);
  }

  /** At rest, without a training. */
  settle(pocket) {
    for (let turn = 0; turn < 40; turn++) this.follow(pocket, 1);
    let left = 70;
    const next = () => { this.follow(pocket, 3); if (--left > 0) this.settling = requestAnimationFrame(next); };
    next();
  }

  end() { cancelAnimationFrame(this.settling); super.end(); }
}
