// Which point lies under the pointer (a uniform grid), and which points lie inside a polygon.

class PointGrid {
  constructor(places, [left, bottom, right, top]) {
    this.places = places;
    const count = places.length / 2;
    this.side = Math.max(1, Math.ceil(Math.sqrt(count / 3)));
    this.origin = [left, bottom];
    this.cell = Math.max(right - left, top - bottom, 1e-12) / this.side;
    this.starts = new Uint32Array(this.side * this.side + 1);
    const cells = new Uint32Array(count);
    for (let point = 0; point < count; point++) {
      cells[point] = this.row(places[2 * point + 1]) * this.side + this.column(places[2 * point]);
      this.starts[cells[point] + 1]++;
    }
    for (let cell = 0; cell < this.side * this.side; cell++) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice();
    this.points = new Uint32Array(count);
    for (let point = 0; point < count; point++) this.points[next[cells[point]]++] = point;
  }

  column(x) { return Math.min(Math.max(Math.floor((x - this.origin[0]) / this.cell), 0), this.side - 1); }
  row(y) { return Math.min(Math.max(Math.floor((y - this.origin[1]) / this.cell), 0), this.side - 1); }

  /** The accepted point nearest to (x, y) within the radius, or -1. */
  nearest(x, y, radius, accept) {
    let best = -1, shortest = radius * radius;
    for (let row = this.row(y - radius); row <= this.row(y + radius); row++)
      for (let column = this.column(x - radius); column <= this.column(x + radius); column++) {
        const cell = row * this.side + column;
        for (let index = this.starts[cell]; index < this.starts[cell + 1]; index++) {
          const point = this.points[index];
          const away = (this.places[2 * point] - x) ** 2 + (this.places[2 * point + 1] - y) ** 2;
          if (away <= shortest && accept(point)) [best, shortest] = [point, away];
        }
      }
    return best;
  }
}

/** Even-odd rule, the same as rows_in_polygon of the server. */
function insidePolygon(x, y, polygon) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

function boundsOf(places) {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let index = 0; index < places.length; index += 2) {
    left = Math.min(left, places[index]); right = Math.max(right, places[index]);
    bottom = Math.min(bottom, places[index + 1]); top = Math.max(top, places[index + 1]);
  }
  return places.length ? [left, bottom, right, top] : [0, 0, 1, 1];
}
