// The hovered text and up to two clicked ones: their rings, the card, and what the server is told.

const Picking = {
  pointAt(left, top, radius = HOVER_RADIUS) {
    if (!this.film || this.isMoving) return -1;
    this.grid ??= new PointGrid(this.film.places, boundsOf(this.film.places));
    return this.grid.nearest(...this.view.toPlane(left, top), radius / this.view.scale, (point) => this.states[point] >= BEHIND);
  },

  pixelsOf(point) { return this.view.toPixels(this.film.x(point), this.film.y(point)); },

  hover(left, top) {
    if (this.path) return;
    const point = this.pointAt(left, top);
    this.marks.classList.toggle("over", point >= 0 && this.gestures.tool === "pan");
    this.setHovered(point);
  },

  setHovered(point) {
    if (point === this.hovered) return;
    this.hovered = point;
    this.tell({ kind: "hover", row: point < 0 ? null : this.rowOf(point) });
    if (!this.card.pinned) point < 0 ? this.card.hide() : this.showCard(point, false);
    this.redraw(false);
  },

  showCard(point, pinned) {
    const category = this.categories[point];
    this.card.show({
      row: this.rowOf(point), pinned, source: this.data.corpus ? { corpus: this.data.corpus, token: this.data.token } : null,
      label: this.data.names[category] ?? this.data.without, colour: css(this.palette[category]), frame: this.view, at: this.pixelsOf(point),
      radius: this.ringRadius(),
    });
  },

  /** `second`: with Ctrl or Command held, beside the text that was clicked before. */
  pick(point, second = false) {
    if (point < 0) return second ? undefined : this.unpin();
    const row = this.rowOf(point);
    if (second && this.firstRow !== null) this.secondRow = row === this.firstRow ? null : row;
    else [this.firstRow, this.secondRow] = [row, null];
    this.cardPoint = point;
    this.showCard(point, true);
    this.tellPicks(true);
  },

  /** The text the page is about now: a step that was taken beside the map. The server hears of it where it knew a click. */
  pointTo(row) {
    if (row === this.firstRow) return;
    this.card.hide();
    [this.firstRow, this.secondRow] = [row, null];
    const told = this.toldPicks?.[0] ?? null;
    if (told !== null) this.tellPicks(true);
    this.redraw(false);
  },

  unpin() {
    if (this.firstRow === null && !this.card.pinned) return;
    this.firstRow = this.secondRow = null;
    this.card.hide();
    this.tellPicks(true);
  },

  /** The map clicked last tells the server; the others of its group show the same rings and take theirs back. */
  tellPicks(isOwn) {
    const now = isOwn ? [this.firstRow, this.secondRow] : [null, null], before = this.toldPicks ?? [null, null];
    ["picked", "second"].forEach((name, index) => now[index] !== before[index] && this.sendSoon(name, now[index]));
    this.toldPicks = now;
    if (isOwn) this.tell({ kind: "pick", first: this.firstRow, second: this.secondRow });
    this.redraw(false);
  },

  /** Of the ring around a text that is hovered or clicked, its number included. */
  ringRadius() {
    return Math.max((this.look?.diameter ?? 0) * 0.9, 9 * this.theme.size);
  },

  rings() {
    const first = this.pointOf(this.firstRow), second = this.pointOf(this.secondRow), isPair = this.secondRow !== null;
    const ring = (point, number) => ({ at: this.pixelsOf(point), colour: this.palette[this.categories[point]], number });
    const found = [];
    if (this.hovered >= 0 && this.hovered !== first && this.hovered !== second) found.push(ring(this.hovered, ""));
    if (first >= 0) found.push(ring(first, isPair ? "1" : ""));
    if (second >= 0) found.push(ring(second, "2"));
    return found;
  },
};
