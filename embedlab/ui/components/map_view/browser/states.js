// Which points are shown, dimmed or chosen: the legend, a search, brushed strips, and the lasso.

const Choosing = {
  /** One byte a point: hidden, dim, behind, normal or chosen. */
  updateStates() {
    if (!this.film) return;
    const { bright, chosen, categories } = this, classes = this.data.names.length, brushed = this.brushedPoints();
    const ofClass = Uint8Array.from({ length: classes + 1 }, (_, category) => stateOfClass(this.legend, category, classes));
    const states = new Uint8Array(categories.length);
    for (let point = 0; point < states.length; point++) {
      const own = ofClass[categories[point]];
      if (own <= DIM) states[point] = own;
      else if ((bright && !bright[point]) || (chosen && !chosen[point]) || (brushed && !brushed[point])) states[point] = DIM;
      else states[point] = bright || chosen ? CHOSEN : own;
    }
    this.states = states;
    this.points.setStates(states);
    if (this.data.contours) this.rest(REST); // once the hand rests
    this.redraw();
  },

  lasso(path, done) {
    if (!this.film) return;
    this.motion.finish();
    this.setHovered(-1);
    this.path = done || path.length < 2 ? null : path;
    if (done && path.length > 2) this.select(path.map(([left, top]) => this.view.toPlane(left, top)));
    else if (done) this.clear();
    this.redraw(false);
  },

  select(polygon) {
    const { film, categories } = this, { places } = film, chosen = new Uint8Array(film.count);
    const [left, bottom, right, top] = boundsOf(polygon.flat()), slack = 1e-5 * Math.max(...film.bounds.map(Math.abs));
    this.polygon = { path: polygon, at: film.at };
    for (let point = 0; point < chosen.length; point++) {
      const near = places[2 * point], high = places[2 * point + 1]; // in 32 bits: good enough to leave out most
      if (near < left - slack || near > right + slack || high < bottom - slack || high > top + slack) continue;
      if (this.legend.isOn(categories[point])) chosen[point] = insidePolygon(film.x(point), film.y(point), polygon) ? 1 : 0;
    }
    this.choose(chosen);
    this.keepLasso();
    this.tellSelection();
    this.sendSoon("selection", { of: film.id, polygon, at: film.last ? film.at : null });
  },

  choose(chosen) {
    this.chosen = chosen;
    this.updateStates();
    this.sayChosen();
  },

  sayChosen() {
    let count = 0;
    const brushed = this.chosen && this.brushedPoints();
    this.chosen?.forEach((one, point) => { count += one && (!brushed || brushed[point]) ? 1 : 0; });
    this.say(this.chosen ? `${count.toLocaleString("en")} texts selected · Esc clears` : this.fallback ?? "");
  },

  clear() {
    this.unpin();
    if (!this.chosen) return;
    const own = this.polygon;
    this.polygon = this.path = null;
    this.choose(null);
    this.keepLasso();
    this.tell({ kind: "select", chosen: null });
    if (own) this.sendSoon("selection", null);
  },

  filtered(told) {
    if (!this.film) return;
    this.updateStates();
    if (told) return;
    const isolated = [...this.legend.isolated], gone = [...this.legend.gone];
    this.tell({ kind: "filter", isolated, gone });
    this.sendSoon("filter", { of: this.data.categories, isolated, hidden: gone }, 350); // a double click begins as two clicks
  },
};
