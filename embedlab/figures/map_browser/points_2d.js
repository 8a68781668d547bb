// The same points without WebGL2, on a plain canvas, drawn once for a still picture.

const TRAIL_PIXELS = 1.7; // half the width of a way at its end

class Points2D {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.trails = [];
  }

  setCategories(categories) { this.categories = categories; }
  setStates(states) { this.states = states; this.order = layered(states); }
  setFade(fade) { this.fade = fade; }
  setTrails(points) { this.trails = points; }
  setPalette(palette) { this.palette = palette.map(css); }
  close() {}

  draw(view, look, theme, film) {
    if (!this.states) return;
    const density = this.canvas.width / view.width, pen = this.pen, dim = css(theme.quiet), { scale } = view;
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.globalAlpha = 1;
    pen.fillStyle = css(theme.ground);
    pen.fillRect(0, 0, view.width, view.height);
    if (film.last) this.drawTrails(view, film);
    for (const point of this.order) {
      const left = (film.x(point) - view.middle[0]) * scale + view.width / 2, top = (view.middle[1] - film.y(point)) * scale + view.height / 2;
      if (left < -9 || top < -9 || left > view.width + 9 || top > view.height + 9) continue;
      const state = this.states[point], radius = (look.diameter / 2) * (state === CHOSEN ? 1.25 : state === DIM ? 0.85 : 1);
      pen.globalAlpha = look.opacity * (state === DIM ? 0.3 : 1) * (this.fade ? this.fade[point] / 255 : 1);
      pen.fillStyle = state === DIM ? dim : this.palette[this.categories[point]];
      if (radius < 1.4) { pen.fillRect(left - radius, top - radius, 2 * radius, 2 * radius); continue; } // many: squares are quick
      pen.beginPath();
      pen.arc(left, top, radius, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  drawTrails(view, film) {
    const first = new Film(film.frames, 0), last = new Film(film.frames), pen = this.pen;
    pen.globalAlpha = 0.4;
    for (const point of this.trails) {
      if (this.states[point] < BEHIND) continue;
      const [left, top] = view.toPixels(first.x(point), first.y(point)), [right, bottom] = view.toPixels(last.x(point), last.y(point));
      const length = Math.hypot(right - left, bottom - top) || 1, side = [((top - bottom) / length) * TRAIL_PIXELS, ((right - left) / length) * TRAIL_PIXELS];
      pen.fillStyle = this.palette[this.categories[point]];
      pen.beginPath();
      pen.moveTo(left, top);
      pen.lineTo(right + side[0], bottom + side[1]);
      pen.lineTo(right - side[0], bottom - side[1]);
      pen.fill();
    }
  }
}
