// A map of a lesson: points with their class names on a plain canvas, as large as its place.

class LessonMap {
  /** `classes`: [name, light, dark]; `categories` of each point; `picked(point)` when one is clicked that `accepts`. */
  constructor(parent, { classes, categories, label, named = true, colored = true, picked = null, accepts = () => true }) {
    Object.assign(this, { parent, classes, categories: Uint16Array.from(categories), named, colored, picked, accepts, view: new View(), marked: [] });
    this.canvas = made(parent, "canvas", { role: "img", "aria-label": label });
    this.points = new Points2D(this.canvas);
    this.names = new Names(made(parent, "div", { class: "names", "aria-hidden": "true" }));
    this.points.setCategories(this.categories);
    this.points.setStates(new Uint8Array(categories.length).fill(NORMAL));
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.paint();
    this.scheme.addEventListener("change", this.repaint);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(parent);
    if (picked) this.canvas.addEventListener("pointerup", (event) => this.pick(event));
    this.canvas.classList.toggle("over", picked !== null);
    this.paint();
  }

  end() { this.observer.disconnect(); this.scheme.removeEventListener("change", this.repaint); }

  /** Colors of the scheme in use; one for all points where colors would tell too much. */
  paint() {
    const style = getComputedStyle(this.parent), [ground, ink, quiet, accent] = ["ground", "ink", "quiet", "accent"].map((name) => parseColour(style.getPropertyValue(`--${name}`)));
    this.theme = { ground, ink, quiet, dark: luminance(ground) < 0.2 };
    this.palette = this.classes.map(([, light, dark]) => (this.colored ? parseColour(this.theme.dark ? dark : light) : accent));
    this.points.setPalette(this.palette);
    this.names.paint(this.palette, this.theme);
    this.draw();
  }

  color(on) { this.colored = on; this.paint(); }

  /** `film`: a Film, or live places. */
  show(film, bounds) {
    this.film = film;
    this.view.bounds = bounds ?? boundsOf(film.places);
    this.view.reset();
    if (this.named && this.colored) this.place();
    this.draw();
  }

  /** Live places x, y of each point; the part shown follows them without haste. */
  live(places) {
    const bounds = boundsOf(places), before = this.film ? this.view.bounds : bounds;
    const film = { count: places.length / 2, last: 0, places, x: (point) => places[2 * point], y: (point) => places[2 * point + 1] };
    const isNamed = this.named;
    this.turn = (this.turn ?? -1) + 1;
    this.named = isNamed && this.turn % 12 === 0;
    this.show(film, before.map((value, side) => value + (bounds[side] - value) * 0.25));
    this.named = isNamed;
  }

  /** Names where their classes are densest now. */
  place() {
    const { places } = this.film;
    const found = densestPlaces(places, this.categories, this.classes.length, boundsOf(places));
    this.names.set(found.map((each, category) => ({ name: this.classes[category][0], category, ...each })).filter(({ size }) => size));
  }

  /** Points that are ringed: {point, strong}. */
  mark(marked) { this.marked = marked; this.draw(); }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.parent, density = devicePixelRatio || 1;
    [this.canvas.width, this.canvas.height] = [Math.round(width * density), Math.round(height * density)];
    [this.view.width, this.view.height] = [width, height];
    this.names.forgetSizes();
    if (this.film && this.named && this.colored) this.place();
    this.draw();
  }

  draw() {
    if (!this.film || this.asked || this.view.width < 2) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.drawNow(); });
  }

  drawNow() {
    const { view, points, film, theme } = this, { pen } = points;
    points.draw(view, pointLook(view, film.count, 1.15), theme, film);
    this.names.arrange(view, [], () => this.named && this.colored);
    pen.globalAlpha = 1;
    const strong = this.marked.find((each) => each.strong), at = (point) => view.toPixels(film.x(point), film.y(point));
    for (const { point, strong: isStrong } of this.marked) {
      pen.strokeStyle = css(theme.ink);
      if (!isStrong && strong) { pen.lineWidth = 1; pen.beginPath(); pen.moveTo(...at(strong.point)); pen.lineTo(...at(point)); pen.stroke(); }
      pen.lineWidth = isStrong ? 3 : 1.5;
      pen.beginPath();
      pen.arc(...at(point), isStrong ? 8 : 5.5, 0, 2 * Math.PI);
      pen.fillStyle = css(this.palette[this.categories[point]]);
      pen.fill();
      pen.stroke();
    }
  }

  pick(event) {
    const { places } = this.film, grid = new PointGrid(places, boundsOf(places));
    const point = grid.nearest(...this.view.toPlane(event.offsetX, event.offsetY), 26 / this.view.scale, this.accepts);
    if (point >= 0) this.picked(point);
  }
}

/** An element with these attributes and this text, at the end of `parent`. */
function made(parent, name, attributes = {}, text) {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) found.setAttribute(key, value);
  if (text !== undefined) found.textContent = text;
  parent.append(found);
  return found;
}

function button(parent, text, clicked, attributes = {}) {
  const found = made(parent, "button", { type: "button", ...attributes }, text);
  found.addEventListener("click", clicked);
  return found;
}
