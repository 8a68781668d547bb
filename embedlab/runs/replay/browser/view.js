// Which part of the plane the frame shows; one unit is as long either way, y grows upwards.

class View {
  constructor() { this.width = this.height = 1; this.bounds = [0, 0, 1, 1]; this.reset(); }

  reset() {
    const [left, bottom, right, top] = this.bounds;
    this.middle = [(left + right) / 2, (bottom + top) / 2];
    this.zoom = 1;
  }

  get scale() {
    const [left, bottom, right, top] = this.bounds, margin = 26;
    const fit = Math.min((this.width - 2 * margin) / (right - left || 1), (this.height - 2 * margin) / (top - bottom || 1));
    return Math.max(fit, 1e-9) * this.zoom;
  }

  toPixels(x, y) {
    const scale = this.scale;
    return [(x - this.middle[0]) * scale + this.width / 2, (this.middle[1] - y) * scale + this.height / 2];
  }

  move(right, down) {
    const scale = this.scale;
    this.middle = [this.middle[0] - right / scale, this.middle[1] + down / scale];
  }

  zoomAt(left, top, factor) {
    const scale = this.scale, x = (left - this.width / 2) / scale + this.middle[0], y = this.middle[1] - (top - this.height / 2) / scale;
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.5), 60);
    const [nowLeft, nowTop] = this.toPixels(x, y);
    this.move(left - nowLeft, top - nowTop);
  }
}

/** Diameter and opacity, so that 300 and 5,000 texts both read as shapes. */
function pointLook(view, count) {
  const area = view.width * view.height * 0.5;
  const diameter = Math.min(Math.max(Math.sqrt((0.5 * area) / (Math.max(count, 1) * 0.785)), 1.7), 7) * Math.min(Math.max(view.zoom, 1) ** 0.38, 4);
  const covered = (count * diameter * diameter * 0.785) / (area * Math.max(view.zoom, 1) ** 2);
  return { diameter: Math.min(diameter, 12), opacity: Math.min(Math.max(0.78 * covered ** -0.3, 0.3), 0.92) };
}
