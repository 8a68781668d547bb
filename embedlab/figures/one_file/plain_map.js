// A map on a plain canvas as large as its frame, in the colors of the scheme, drawn anew at the next frame of the screen.

class PlainMap {
  /** `names`: the element over the canvas that holds the names of `classes`, [name, light, dark], the last of texts without one; subclasses have a `film`. */
  constructor(frame, canvas, names, classes) {
    Object.assign(this, { frame, canvas, classes, points: new Points2D(canvas), names: new Names(names), view: new View(), size: 1 });
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.paint();
    this.scheme.addEventListener("change", this.repaint);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(frame);
  }

  get shades() { return this.classes.map(([, ...shades]) => shades); }

  /** Names where `densestPlaces` found their classes. */
  nameAt(places) {
    this.names.set(places.map((each, category) => ({ name: this.classes[category][0], category, ...each })).filter(({ size }) => size));
  }

  end() { this.observer.disconnect(); this.scheme.removeEventListener("change", this.repaint); }

  paint() {
    const style = getComputedStyle(this.frame), [ground, ink, quiet] = ["ground", "ink", "quiet"].map((name) => parseColour(style.getPropertyValue(`--${name}`)));
    this.theme = { ground, ink, quiet, dark: luminance(ground) < 0.2 };
    this.palette = this.shades.map((shades) => parseColour(shades[this.theme.dark ? 1 : 0]));
    this.points.setPalette(this.palette);
    this.names.paint(this.palette, this.theme);
    this.draw();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.frame, density = devicePixelRatio || 1;
    [this.canvas.width, this.canvas.height] = [Math.round(width * density), Math.round(height * density)];
    [this.view.width, this.view.height] = [width, height];
    this.draw();
  }

  draw() {
    if (!this.film || this.asked || this.view.width < 2) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.drawNow(); });
  }

  /** Points and names; `isOn(category)`: whether its points are shown. */
  drawNow(isOn) {
    const { view, points, film, theme } = this;
    points.draw(view, pointLook(view, film.count, this.size), theme, film);
    this.names.arrange(view, [], isOn);
    points.pen.globalAlpha = 1;
  }

  /** A point set off by a ring. */
  ring(place, category, radius, width) {
    const { pen } = this.points;
    pen.beginPath();
    pen.arc(...place, radius, 0, 2 * Math.PI);
    pen.fillStyle = css(this.palette[category]);
    pen.fill();
    pen.lineWidth = width;
    pen.strokeStyle = css(this.theme.ink);
    pen.stroke();
  }

  /** The nearest point to these pixels that `accepts`, -1 for none within `radius` pixels. */
  pointAt(left, top, radius, accepts) {
    const { places } = this.film;
    if (this.gridOf !== places) [this.grid, this.gridOf] = [new PointGrid(places, boundsOf(places)), places];
    return this.grid.nearest(...this.view.toPlane(left, top), radius / this.view.scale, accepts);
  }
}
