// A map of a lesson: points with the names of their classes, at rest or moving, and texts that can be picked.

class LessonMap extends PlainMap {
  /** `categories` of each point; `picked(point)` when one is clicked that `accepts`; a map without colors or names tells no class. */
  constructor(parent, { classes, categories, label, named = true, colored = true, picked = null, accepts = () => true }) {
    super(parent, made(parent, "canvas", { role: "img", "aria-label": label }), made(parent, "div", { class: "names", "aria-hidden": "true" }), classes);
    Object.assign(this, { categories: Uint16Array.from(categories, (category) => Math.min(category, classes.length - 1)), named, colored, size: 1.15, marked: [], turn: 0 });
    this.points.setCategories(this.categories);
    this.points.setStates(new Uint8Array(categories.length).fill(NORMAL));
    if (picked) this.canvas.addEventListener("pointerup", ({ offsetX, offsetY }) => {
      const point = this.pointAt(offsetX, offsetY, 26, accepts);
      if (point >= 0) picked(point);
    });
    this.canvas.classList.toggle("over", picked !== null);
    this.paint();
  }

  get shades() {
    const accent = getComputedStyle(this.frame).getPropertyValue("--accent");
    return this.colored ? super.shades : this.classes.map(() => [accent, accent]);
  }

  show(film) {
    this.film = film;
    this.view.bounds = film.bounds;
    this.view.reset();
    this.place();
    this.draw();
  }

  /** Live places x, y of each point; the part shown follows them without haste, the names every twelfth time. */
  live(places) {
    const bounds = boundsOf(places), before = this.film ? this.view.bounds : bounds;
    this.gridOf = null; // the same array with other places
    this.film = { count: places.length / 2, last: 0, places, x: (point) => places[2 * point], y: (point) => places[2 * point + 1] };
    this.view.bounds = before.map((value, side) => value + (bounds[side] - value) * 0.25);
    this.view.reset();
    if (this.turn++ % 12 === 0) this.place();
    this.draw();
  }

  /** Names where their classes are densest now. */
  place() {
    if (this.named) this.nameAt(densestPlaces(this.film.places, this.categories, this.classes.length, boundsOf(this.film.places)));
  }

  /** Points that are ringed, {point, strong}: the strong one more, and joined to the others. */
  mark(marked) { this.marked = marked; this.draw(); }

  fit() {
    this.names.forgetSizes();
    super.fit();
    if (this.film) this.place();
  }

  drawNow() {
    super.drawNow(() => this.named);
    const { film, view } = this, { pen } = this.points, at = (point) => view.toPixels(film.x(point), film.y(point));
    const strong = this.marked.find((each) => each.strong);
    pen.lineWidth = 1;
    pen.strokeStyle = css(this.theme.ink);
    pen.beginPath();
    for (const { point } of this.marked) { pen.moveTo(...at(strong.point)); pen.lineTo(...at(point)); }
    pen.stroke();
    for (const { point, strong: isStrong } of this.marked) this.ring(at(point), this.categories[point], isStrong ? 8 : 5.5, isStrong ? 3 : 1.5);
  }
}
