// The same points without WebGL2, on a plain canvas: slower, otherwise alike.

class Points2D {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.places = new Float32Array(0);
    this.order = new Uint32Array(0);
  }

  setPoints(places) { this.places = places; this.order = shuffled(places.length / 2); }
  setCategories(categories) { this.categories = categories; }
  setStates(states) { this.states = states; }
  setPalette(palette) { this.palette = palette.map(css); }
  close() {}

  draw(view, look, theme) {
    const density = this.canvas.width / view.width, pen = this.pen;
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.globalAlpha = 1;
    pen.fillStyle = css(theme.ground);
    pen.fillRect(0, 0, view.width, view.height);
    for (const layer of [DIM, BEHIND, NORMAL]) {
      pen.globalAlpha = look.opacity * (layer === DIM ? 0.3 : 1);
      for (const point of this.order) {
        if (Math.min(this.states[point], NORMAL) !== layer) continue;
        const [left, top] = view.toPixels(this.places[2 * point], this.places[2 * point + 1]);
        if (left < -9 || top < -9 || left > view.width + 9 || top > view.height + 9) continue;
        pen.fillStyle = layer === DIM ? css(theme.quiet) : this.palette[this.categories[point]];
        pen.beginPath();
        pen.arc(left, top, look.diameter / 2, 0, 2 * Math.PI);
        pen.fill();
      }
    }
  }
}
