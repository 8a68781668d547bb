// Which part of the plane the frame shows; x grows to the right, y upwards, one unit is as long either way.

class View {
  constructor() {
    this.width = this.height = 1;
    this.bounds = [0, 0, 1, 1]; // left, bottom, right, top of the points
    this.reset();
  }

  reset() {
    const [left, bottom, right, top] = this.bounds;
    this.middle = [(left + right) / 2, (bottom + top) / 2];
    this.zoom = 1;
  }

  /** Pixels per unit. */
  get scale() {
    const [left, bottom, right, top] = this.bounds;
    const margin = Math.min(28, this.width / 12);
    const fit = Math.min((this.width - 2 * margin) / (right - left || 1), (this.height - 2 * margin) / (top - bottom || 1));
    return Math.max(fit, 1e-9) * this.zoom;
  }

  toPixels(x, y) {
    const scale = this.scale;
    return [(x - this.middle[0]) * scale + this.width / 2, (this.middle[1] - y) * scale + this.height / 2];
  }

  toPlane(left, top) {
    const scale = this.scale;
    return [(left - this.width / 2) / scale + this.middle[0], this.middle[1] - (top - this.height / 2) / scale];
  }

  move(right, down) {
    const scale = this.scale;
    this.middle = [this.middle[0] - right / scale, this.middle[1] + down / scale];
  }

  /** Zoom so that what lies under that pixel stays there; false if the limit is reached. */
  zoomAt(left, top, factor) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.5), 2000);
    if (zoom === this.zoom) return false;
    const [x, y] = this.toPlane(left, top);
    this.zoom = zoom;
    const [nowLeft, nowTop] = this.toPixels(x, y);
    this.move(left - nowLeft, top - nowTop);
    return true;
  }
}

/** Diameter in pixels and opacity of a point, so that 300 and 500,000 texts both read as shapes. */
function pointLook(view, count) {
  const area = view.width * view.height * 0.5; // about what a map fills of its frame
  const diameter = Math.min(Math.max(Math.sqrt((0.5 * area) / (Math.max(count, 1) * 0.785)), 1.7), 7) * Math.min(view.zoom ** 0.38, 4);
  const covered = (count * diameter * diameter * 0.785) / (area * Math.max(view.zoom, 1) ** 2);
  return { diameter: Math.min(diameter, 12), opacity: Math.min(Math.max(0.78 * covered ** -0.3, 0.22), 0.92) };
}
