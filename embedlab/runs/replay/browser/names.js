// Class names on the map: where each class is densest, larger classes first, never one over another.

const CELLS = 26;

/** For each class the mean of its points around its fullest cell, or null. */
function densestPlaces(places, points, count) {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let place = 0; place < places.length; place += 2) {
    left = Math.min(left, places[place]); right = Math.max(right, places[place]);
    bottom = Math.min(bottom, places[place + 1]); top = Math.max(top, places[place + 1]);
  }
  const cellOf = (value, low, high) => Math.min(Math.floor(((value - low) / (high - low || 1)) * CELLS), CELLS - 1);
  const own = Array.from({ length: count }, () => []);
  points.forEach((point, place) => categories[point] < count && own[categories[point]].push(place));
  return own.map((members) => {
    if (!members.length) return null;
    const counts = new Map(), cells = members.map((place) => [cellOf(places[2 * place], left, right), cellOf(places[2 * place + 1], bottom, top)]);
    for (const [column, row] of cells)
      for (let y = row - 1; y <= row + 1; y++)
        for (let x = column - 1; x <= column + 1; x++) counts.set(y * 100 + x, (counts.get(y * 100 + x) ?? 0) + (x === column && y === row ? 2 : 1));
    let best = null, most = -1;
    for (const [column, row] of cells) if (counts.get(row * 100 + column) > most) [best, most] = [[column, row], counts.get(row * 100 + column)];
    const near = members.filter((_, member) => Math.abs(cells[member][0] - best[0]) <= 1 && Math.abs(cells[member][1] - best[1]) <= 1);
    return [0, 1].map((axis) => near.reduce((sum, place) => sum + places[2 * place + axis], 0) / near.length);
  });
}

/** `named`: {name, place, colour, category} by size. */
function drawNames(pen, view, named, isOn, ground) {
  const boxes = [], most = Math.round(((view.width * view.height) / 9500) * Math.max(view.zoom, 1));
  pen.font = 'small-caps 700 14.5px "Source Sans 3", system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  for (const { name, place, colour, category } of named) {
    if (!place || !isOn(category) || boxes.length >= most) continue;
    const [left, top] = view.toPixels(...place);
    if (left < 0 || top < 0 || left > view.width || top > view.height) continue;
    const width = pen.measureText(name).width, x = Math.min(Math.max(left - width / 2, 6), view.width - width - 6), y = Math.min(Math.max(top, 12), view.height - 12);
    const box = [x - 5, y - 10, x + width + 5, y + 10];
    if (boxes.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
    boxes.push(box);
    pen.strokeStyle = ground;
    pen.lineWidth = 3.5;
    pen.strokeText(name, x, y);
    pen.fillStyle = colour;
    pen.fillText(name, x, y);
  }
}
