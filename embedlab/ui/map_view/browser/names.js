// Class names on the map: each where its class is densest, larger classes first, never one over another.

const NAMES_AT_MOST = 400, CELLS = 40;

/** Where each of the first `count` classes is densest: the mean of its points around its fullest cell, or null. */
function densestPlaces(places, categories, count, [left, bottom, right, top]) {
  const counts = new Float32Array(count * CELLS * CELLS);
  const toCell = (value, low, high) => Math.min(Math.floor(((value - low) / (high - low || 1)) * CELLS), CELLS - 1);
  const eachPoint = (visit) => {
    for (let point = 0; point < categories.length; point++) {
      if (categories[point] >= count) continue;
      visit(categories[point], toCell(places[2 * point], left, right), toCell(places[2 * point + 1], bottom, top), point);
    }
  };
  const around = (visit, column, row) => {
    for (let y = Math.max(row - 1, 0); y <= Math.min(row + 1, CELLS - 1); y++)
      for (let x = Math.max(column - 1, 0); x <= Math.min(column + 1, CELLS - 1); x++) visit(y * CELLS + x);
  };
  eachPoint((category, column, row) => counts[category * CELLS * CELLS + row * CELLS + column]++);
  const best = new Int32Array(count).fill(-1), most = new Float32Array(count);
  eachPoint((category, column, row) => {
    let sum = counts[category * CELLS * CELLS + row * CELLS + column]; // once more for the middle: ties go to the fuller cell
    around((cell) => (sum += counts[category * CELLS * CELLS + cell]), column, row);
    if (sum > most[category]) [best[category], most[category]] = [row * CELLS + column, sum];
  });
  const sums = new Float64Array(count * 3);
  eachPoint((category, column, row, point) => {
    if (Math.abs((best[category] % CELLS) - column) > 1 || Math.abs(Math.floor(best[category] / CELLS) - row) > 1) return;
    sums[3 * category] += places[2 * point]; sums[3 * category + 1] += places[2 * point + 1]; sums[3 * category + 2]++;
  });
  return Array.from({ length: count }, (_, category) => {
    const size = sums[3 * category + 2];
    return size ? [sums[3 * category] / size, sums[3 * category + 1] / size] : null;
  });
}

class Names {
  constructor(element) { this.element = element; this.shown = []; }

  /** `classes`: {name, place, size} by index. */
  set(classes) {
    this.element.replaceChildren();
    this.shown = classes
      .map(({ name, place, size }, category) => ({ name, place, size, category }))
      .filter(({ place }) => place)
      .sort((a, b) => b.size - a.size)
      .map((entry) => {
        const label = document.createElement("span");
        label.textContent = entry.name.length > 26 ? entry.name.slice(0, 25) + "…" : entry.name;
        label.style.opacity = 0;
        this.element.append(label);
        return { ...entry, label };
      });
    for (const entry of this.shown) [entry.width, entry.height] = [entry.label.offsetWidth, entry.label.offsetHeight];
  }

  paint(palette, theme) {
    this.element.style.setProperty("--halo", css(theme.ground));
    for (const { label, category } of this.shown) label.style.color = css(asInk(palette[category], theme.ink, theme.ground));
  }

  /** `taken`: boxes the names must stay clear of; `isOn(category)`: whether its points are shown. */
  arrange(view, taken, isOn) {
    const boxes = [...taken];
    const most = Math.round((view.width * view.height) / 9500 * Math.max(view.zoom, 1));
    let count = 0;
    for (const entry of this.shown) {
      const [left, top] = view.toPixels(...entry.place);
      const inFrame = left > 0 && top > 0 && left < view.width && top < view.height;
      let box = null;
      if (inFrame && isOn(entry.category) && count < most) {
        const x = Math.min(Math.max(left - entry.width / 2, 4), view.width - entry.width - 4);
        const y = Math.min(Math.max(top - entry.height / 2, 4), view.height - entry.height - 4);
        box = [x - 5, y - 3, x + entry.width + 5, y + entry.height + 3];
        if (boxes.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) box = null;
      }
      entry.label.style.opacity = box ? 1 : 0;
      if (!box) continue;
      entry.label.style.transform = `translate(${box[0] + 5}px, ${box[1] + 3}px)`;
      boxes.push(box);
      count++;
    }
  }
}
