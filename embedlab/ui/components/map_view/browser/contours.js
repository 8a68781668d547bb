// Where the points are dense: lines around the regions that hold a fifth, two, three and four fifths of those in the frame.

const GRID = 96, BLUR = 2.2; // cells along the longer side, and the width of the kernel in cells
const SHARES = [0.2, 0.4, 0.6, 0.8];
const CONTOURED_FROM = 200; // points in the frame

/** Segments of each line in plane coordinates.  `isOn(point)`: whether a point counts  -> [[x1, y1, x2, y2, …], …] or null */
function contoursOf(places, [left, bottom, right, top], isOn) {
  const cell = Math.max(right - left, top - bottom, 1e-12) / GRID;
  const columns = Math.ceil((right - left) / cell) + 2, rows = Math.ceil((top - bottom) / cell) + 2;
  let counts = new Float32Array(columns * rows), total = 0;
  for (let point = 0; point < places.length / 2; point++) {
    const x = places[2 * point], y = places[2 * point + 1];
    if (x < left || x > right || y < bottom || y > top || !isOn(point)) continue;
    counts[(Math.floor((y - bottom) / cell) + 1) * columns + Math.floor((x - left) / cell) + 1]++;
    total++;
  }
  if (total < CONTOURED_FROM) return null;
  counts = blurred(blurred(counts, columns, rows, 1, columns), rows, columns, columns, 1);
  const toPlane = (column, row) => [left + (column - 0.5) * cell, bottom + (row - 0.5) * cell];
  return levelsOf(counts, SHARES).map((level) => segmentsAt(counts, columns, rows, level, toPlane));
}

/** A Gaussian along lines of `length` cells that lie `step` apart, `lines` of them, `next` apart. */
function blurred(values, length, lines, step, next) {
  const reach = Math.ceil(3 * BLUR), found = new Float32Array(values.length);
  const kernel = Float32Array.from({ length: 2 * reach + 1 }, (_, index) => Math.exp(-(((index - reach) / BLUR) ** 2) / 2));
  const sum = kernel.reduce((one, other) => one + other);
  for (let line = 0; line < lines; line++)
    for (let place = 0; place < length; place++) {
      let value = 0;
      for (let index = -reach; index <= reach; index++) if (place + index >= 0 && place + index < length) value += kernel[index + reach] * values[line * next + (place + index) * step];
      found[line * next + place * step] = value / sum;
    }
  return found;
}

/** The densities above which lie these shares of all points. */
function levelsOf(values, shares) {
  const order = Float32Array.from(values).sort().reverse(), whole = order.reduce((one, other) => one + other, 0), levels = [];
  let held = 0, place = 0;
  for (const share of shares) {
    while (place < order.length - 1 && held < share * whole) held += order[place++];
    levels.push(order[place]);
  }
  return levels;
}

/** Marching squares: where the density passes the level on the edges of each cell. */
function segmentsAt(values, columns, rows, level, toPlane) {
  const segments = [], at = (column, row) => values[row * columns + column];
  for (let row = 0; row < rows - 1; row++)
    for (let column = 0; column < columns - 1; column++) {
      const corners = [[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]], crossed = [];
      corners.forEach(([x, y], index) => {
        const [toX, toY] = corners[(index + 1) % 4], from = at(x, y), to = at(toX, toY);
        if (from > level === to > level) return;
        const share = (level - from) / (to - from);
        crossed.push(toPlane(x + (toX - x) * share, y + (toY - y) * share));
      });
      for (let pair = 0; pair + 1 < crossed.length; pair += 2) segments.push(...crossed[pair], ...crossed[pair + 1]);
    }
  return segments;
}

/** The lines, the innermost strongest, with a halo of the ground so that they are seen on every colour. */
function drawContours(canvas, view, theme, contours) {
  const pen = canvas.getContext("2d");
  pen.lineCap = "round";
  contours.forEach((segments, index) => {
    const path = new Path2D();
    for (let place = 0; place < segments.length; place += 4) {
      path.moveTo(...view.toPixels(segments[place], segments[place + 1]));
      path.lineTo(...view.toPixels(segments[place + 2], segments[place + 3]));
    }
    for (const [colour, width, alpha] of [[theme.ground, 3, 0.55], [theme.ink, 1.2, 0.85 - 0.15 * index]]) {
      Object.assign(pen, { strokeStyle: css(colour), lineWidth: width, globalAlpha: alpha });
      pen.stroke(path);
    }
  });
  pen.globalAlpha = 1;
}
