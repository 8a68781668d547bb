// The map: points between two frames, names, the card of a text; pointer, wheel and keys.

class ReplayMap extends PlainMap {
  constructor(legend) {
    super(element("frame"), element("canvas"), element("names"), [...content.classes, ["no class", ...content.unlabeled]]);
    this.card = element("card");
    this.legend = legend;
    this.hovered = this.pinned = -1; // points of the file
    this.listen();
    this.paint();
  }

  get film() { return this.scene?.film; }

  paint() {
    super.paint();
    this.legend.paint(this.palette);
  }

  colourOf(point) { return css(this.palette[categories[point]]); }

  /** `scene`: {points, placeOf, categories, film, names: [of each frame]} */
  show(scene) {
    this.scene = scene;
    this.points.setCategories(scene.categories);
    this.view.bounds = scene.film.bounds;
    this.view.reset();
    this.nameAt(scene.names[0]);
    this.hovered = this.pinned = -1;
    this.filtered();
  }

  /** Which points the legend dims or hides. */
  filtered() {
    this.points.setStates(Uint8Array.from(this.scene.categories, (category) => stateOfClass(this.legend, category, content.classes.length)));
    this.draw();
  }

  /** Move the points to `at`: 1.5 is half way from the second to the third frame. */
  moveTo(at) {
    const { film, names } = this.scene;
    film.at = at;
    const [from, to] = [names[Math.floor(film.at)], names[Math.ceil(film.at)]];
    for (const entry of this.names.shown)
      entry.place = [0, 1].map((axis) => from[entry.category].place[axis] + (to[entry.category].place[axis] - from[entry.category].place[axis]) * film.share);
    this.draw();
  }

  drawNow() {
    super.drawNow((category) => this.legend.isOn(category));
    const point = this.pinned >= 0 ? this.pinned : this.hovered, at = this.placeOf(point);
    if (!at) return;
    this.ring(at, categories[point], 6.5, 2);
    this.putCard(...at);
  }

  /** Pixels of a point within the frame, null where this view does not show it. */
  placeOf(point) {
    const place = this.scene.placeOf.get(point);
    return place === undefined ? null : this.view.toPixels(this.film.x(place), this.film.y(place));
  }

  nearest(left, top, radius) {
    return this.scene.points[this.pointAt(left, top, radius, (place) => this.legend.isOn(this.scene.categories[place]))] ?? -1;
  }

  look(point, pinned = false) {
    if (pinned) this.pinned = point;
    else this.hovered = point;
    const shown = this.pinned >= 0 ? this.pinned : this.hovered;
    this.card.hidden = shown < 0;
    this.card.classList.toggle("pinned", this.pinned >= 0);
    this.canvas.classList.toggle("over", this.hovered >= 0);
    if (shown >= 0) {
      const [title, text] = content.texts ? content.texts[shown] : ["", `Text ${numbered(rows[shown] + 1)} of the corpus`];
      this.card.querySelector(".dot").style.background = this.colourOf(shown);
      this.card.querySelector(".label").textContent = content.classes[categories[shown]]?.[0] ?? "no class";
      this.card.querySelector(".card-title").textContent = title;
      this.card.querySelector(".card-text").textContent = text;
    }
    this.draw();
  }

  putCard(left, top) {
    const { offsetWidth: width, offsetHeight: height } = this.card, gap = 14;
    const x = left + gap + width < this.view.width ? left + gap : Math.max(left - gap - width, 6);
    const y = Math.min(Math.max(top - height / 3, 6), Math.max(this.view.height - height - 6, 6));
    this.card.style.transform = `translate(${Math.min(x, Math.max(this.view.width - width - 6, 6))}px, ${y}px)`;
  }

  zoom(factor, left = this.view.width / 2, top = this.view.height / 2) { this.view.zoomAt(left, top, factor); this.draw(); }
  whole() { this.view.reset(); this.draw(); }

  listen() {
    const { canvas } = this;
    let from = null, moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      [from, moved] = [[event.offsetX, event.offsetY], 0];
      if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from && event.pointerType === "mouse") {
        const step = [event.offsetX - from[0], event.offsetY - from[1]];
        moved += Math.hypot(...step);
        if (moved > 4) { this.view.move(...step); canvas.classList.add("moving"); this.draw(); }
        from = [event.offsetX, event.offsetY];
      } else if (event.pointerType === "mouse") this.look(this.nearest(event.offsetX, event.offsetY, 14));
    });
    canvas.addEventListener("pointerup", (event) => {
      canvas.classList.remove("moving");
      if (from && moved <= 4) this.look(this.nearest(event.offsetX, event.offsetY, event.pointerType === "mouse" ? 14 : 24), true);
      from = null;
    });
    canvas.addEventListener("pointercancel", () => { from = null; canvas.classList.remove("moving"); });
    canvas.addEventListener("pointerleave", () => !from && this.look(-1));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY); }, { passive: false });
    canvas.addEventListener("dblclick", () => this.whole());
  }
}
