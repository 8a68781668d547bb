// What the maps and strips of one group tell each other, without the server.

const links = (window.embedlabMapLinks ??= new EventTarget());
const brushes = (window.embedlabBrushes ??= new Map()); // group -> Map: strip -> a byte a row, 1 where it is brushed
const lassos = (window.embedlabLassos ??= new Map()); // group -> a byte a row, 1 where the lasso holds it
const shownBounds = (window.embedlabMapBounds ??= new Map()); // group -> Map: map -> the corners of its points

/** The corners of all maps of a group, so that aligned maps are drawn to one scale; those of another size are left out. */
function groupBounds(group, own) {
  const span = ([left, bottom, right, top]) => Math.max(right - left, top - bottom) || 1;
  const alike = [...(shownBounds.get(group)?.values() ?? [])].filter((other) => Math.abs(Math.log2(span(other) / span(own))) < 1);
  return alike.reduce(unionOf, own);
}

const Linking = {
  join(group) {
    if (this.group === group) return;
    this.leave();
    this.group = group;
    if (group) links.addEventListener(group, this.onLinked);
  },

  leave() {
    if (!this.group) return;
    links.removeEventListener(this.group, this.onLinked);
    shownBounds.get(this.group)?.delete(this);
    if (this.data?.link_zoom) this.tell({ kind: "bounds" });
  },

  tell(detail) {
    if (this.group) links.dispatchEvent(new CustomEvent(this.group, { detail: { from: this, ...detail } }));
  },

  tellFrame() {
    if (this.data.link_frames) this.tell({ kind: "frame", at: this.target.at, last: this.target.last });
  },

  tellSelection() {
    this.tell({ kind: "select", chosen: this.chosen });
  },

  /** The strips of the group count what the lasso holds. */
  keepLasso() {
    if (!this.group) return;
    if (!this.chosen) lassos.delete(this.group);
    else {
      let rows = this.chosen.length;
      if (this.rows) { rows = 0; for (const row of this.rows) if (row >= rows) rows = row + 1; }
      const mask = new Uint8Array(rows);
      for (let point = 0; point < this.chosen.length; point++) if (this.chosen[point]) mask[this.rowOf(point)] = 1;
      lassos.set(this.group, mask);
    }
    this.tell({ kind: "lasso" });
  },

  linked(told) {
    if (!this.film) return;
    if (told.kind === "hover") this.hovered = this.pointOf(told.row);
    else if (told.kind === "pick") {
      this.card.hide();
      [this.firstRow, this.secondRow] = [told.first, told.second];
      this.tellPicks(false);
    } else if (told.kind === "filter") this.legend.apply(told.isolated, told.gone, true);
    else if (told.kind === "frame") { if (this.data.link_frames && told.last === this.target.last) { this.slider.pause(); this.motion.finish(); this.moveTo(told.at); } }
    else if (told.kind === "brush") { this.updateStates(); this.sayChosen(); }
    else if (told.kind === "bounds") { if (this.data.link_zoom) { this.view.adopt(groupBounds(this.group, this.film.bounds)); this.viewMoved(); } }
    else if (told.kind === "view") { if (this.data.link_zoom) { Object.assign(this.view, { middle: told.middle, zoom: told.zoom }); this.viewMoved(); } }
    else if (told.kind === "select") {
      if (this.polygon) this.sendSoon("selection", null); // one selection a group: that of the map lassoed last
      this.polygon = null;
      this.choose(told.chosen && this.pointsOf(told.from, told.chosen));
    }
    this.redraw(false);
  },

  /** A byte a point of this map, from a byte a point of another one. */
  pointsOf(other, chosen) {
    if (this.data.count === other.data.count && sameRows(this.data.rows, other.data.rows)) return chosen;
    const own = new Uint8Array(this.film.count);
    for (let from = 0; from < chosen.length; from++) {
      const point = chosen[from] ? this.pointOf(other.rowOf(from)) : -1;
      if (point >= 0) own[point] = 1;
    }
    return own;
  },

  /** A byte a point, 1 inside every brushed strip of the group; null where none is brushed. */
  brushedPoints() {
    const masks = [...(brushes.get(this.group)?.values() ?? [])];
    if (!this.group || !masks.length) return null;
    const inside = new Uint8Array(this.film.count);
    for (let point = 0; point < inside.length; point++) {
      const row = this.rowOf(point);
      inside[point] = masks.every((mask) => mask[row]) ? 1 : 0;
    }
    return inside;
  },

  rowOf(point) { return this.rows ? this.rows[point] : point; },

  pointOf(row) {
    if (row === null || row === undefined) return -1;
    if (!this.rows) return row < this.film.count ? row : -1;
    return (this.pointOfRow ??= pointLookup(this.rows))(row);
  },
};

function sameRows(first, second) { return first?.id === second?.id; }
