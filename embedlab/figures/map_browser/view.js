// Which part of the plane the frame shows; x grows to the right, y upwards, one unit is as long either way.

const ZOOM_AT_MOST = 600; // closer in, sixteen bits are as coarse as points are large

class View {
  constructor() {
    this.width = this.height = 1;
    this.bounds = [0, 0, 1, 1]; // left, bottom, right, top of the points
    this.reset();
  }

  get centre() { return [(this.bounds[0] + this.bounds[2]) / 2, (this.bounds[1] + this.bounds[3]) / 2]; }
  get isHome() { return this.zoom === 1 && this.centre.every((value, axis) => value === this.middle[axis]); }

  reset() {
    this.middle = this.centre;
    this.zoom = 1;
  }

  /** Other corners: who sees the whole map goes on seeing it, who has zoomed in sees the same part as before. */
  adopt(bounds) {
    const isHome = this.isHome, scale = this.scale;
    this.bounds = bounds;
    if (isHome) this.reset();
    else this.zoom *= scale / this.scale;
  }

  /** Pixels per unit. */
  get scale() {
    const [left, bottom, right, top] = this.bounds;
    const margin = Math.min(28, this.width / 12);
    const fit = Math.min((this.width - 2 * margin) / (right - left || 1), (this.height - 2 * margin) / (top - bottom || 1));
    return Math.max(fit, 1e-9) * this.zoom;
  }

  /** The part of the plane in the frame: left, bottom, right, top. */
  get shown() {
    const [left, top] = this.toPlane(0, 0), [right, bottom] = this.toPlane(this.width, this.height);
    return [left, bottom, right, top];
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
    const zoom = Math.min(Math.max(this.zoom * factor, 0.5), ZOOM_AT_MOST);
    if (zoom === this.zoom) return false;
    const [x, y] = this.toPlane(left, top);
    this.zoom = zoom;
    const [nowLeft, nowTop] = this.toPixels(x, y);
    this.move(left - nowLeft, top - nowTop);
    return true;
  }
}
