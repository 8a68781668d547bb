// Names on the map: of classes, each where it is densest in what is shown, or given ones for each zoom; never one over another.

const NAMES_AT_MOST = 400, CELLS = 40, MANY = 30, LARGE = 14, FEW = 8; // of many names only those of the largest classes are large

/** Where each of the first `count` classes is densest in this part: x, y and how many are in it, or null. */
function densestPlaces(places, categories, count, [left, bottom, right, top]) {
  const counts = new Float32Array(count * CELLS * CELLS), sizes = new Uint32Array(count);
  const wide = CELLS / (right - left || 1), high = CELLS / (top - bottom || 1);
  const eachPoint = (visit) => {
    for (let point = 0; point < categories.length; point++) {
      const category = categories[point], x = places[2 * point], y = places[2 * point + 1];
      if (category >= count || x < left || x > right || y < bottom || y > top) continue;
      visit(category, Math.min(Math.floor((x - left) * wide), CELLS - 1), Math.min(Math.floor((y - bottom) * high), CELLS - 1), x, y);
    }
  };
  eachPoint((category, column, row) => { counts[(category * CELLS + row) * CELLS + column]++; sizes[category]++; });
  const best = new Int32Array(count).fill(-1);
  for (let category = 0; category < count; category++) {
    let most = 0;
    for (let row = 0; sizes[category] && row < CELLS; row++)
      for (let column = 0; column < CELLS; column++) {
        const own = counts[(category * CELLS + row) * CELLS + column];
        if (!own) continue;
        let sum = own; // once more for the middle: ties go to the fuller cell
        for (let y = Math.max(row - 1, 0); y <= Math.min(row + 1, CELLS - 1); y++)
          for (let x = Math.max(column - 1, 0); x <= Math.min(column + 1, CELLS - 1); x++) sum += counts[(category * CELLS + y) * CELLS + x];
        if (sum > most) [best[category], most] = [row * CELLS + column, sum];
      }
  }
  const sums = new Float64Array(count * 3);
  eachPoint((category, column, row, x, y) => {
    if (Math.abs((best[category] % CELLS) - column) > 1 || Math.abs(Math.floor(best[category] / CELLS) - row) > 1) return;
    sums[3 * category] += x; sums[3 * category + 1] += y; sums[3 * category + 2]++;
  });
  return Array.from(sizes, (size, category) => {
    const near = sums[3 * category + 2];
    return near ? { place: [sums[3 * category] / near, sums[3 * category + 1] / near], size } : null;
  });
}

class Names {
  constructor(element) {
    this.element = element;
    this.labels = new Map(); // by name and class: a label that stays shown is not made anew
    this.shown = [];
  }

  /** `entries`: {name, place, size, category (null: none)} */
  set(entries) {
    const before = this.labels;
    this.labels = new Map();
    this.shown = entries.sort((a, b) => b.size - a.size).map((entry) => {
      const key = `${entry.category} ${entry.name}`, kept = before.get(key) ?? this.newLabel(entry);
      before.delete(key);
      this.labels.set(key, kept);
      return Object.assign(kept, entry);
    });
    const large = this.shown.length > MANY ? LARGE : this.shown.length;
    this.shown.forEach((entry, rank) => {
      if (entry.isSmall === rank >= large) return;
      entry.isSmall = rank >= large;
      entry.label.classList.toggle("small", entry.isSmall);
      entry.width = 0;
    });
    for (const { label } of before.values()) label.remove();
    for (const entry of this.shown) if (!entry.width) [entry.width, entry.height] = [entry.label.offsetWidth, entry.label.offsetHeight];
    if (this.theme) this.paint(this.palette, this.theme);
  }

  /** Letters of another size: measured anew when they are set again. */
  forgetSizes() {
    for (const entry of this.shown) entry.width = 0;
  }

  newLabel({ name }) {
    const label = document.createElement("span");
    label.textContent = name.length > 26 ? name.slice(0, 25) + "…" : name;
    label.style.opacity = 0;
    this.element.append(label);
    return { label };
  }

  paint(palette, theme) {
    [this.palette, this.theme] = [palette, theme];
    this.element.style.setProperty("--halo", css(theme.ground));
    for (const { label, category } of this.shown)
      label.style.color = css(category === null ? theme.ink : asInk(palette[category], theme.ink, theme.ground));
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
      if (inFrame && count < most && (entry.category === null || isOn(entry.category))) {
        const x = Math.min(Math.max(left - entry.width / 2, 4), view.width - entry.width - 4);
        const lift = entry.category !== null && entry.size < FEW ? entry.height : 0; // few points are not covered by their name
        const y = Math.min(Math.max(top - entry.height / 2 - lift, 4), view.height - entry.height - 4);
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

/** Which of the levels, coarse to fine, belongs to a zoom: the next one with each doubling. */
function levelAt(levels, zoom) { return levels[Math.min(Math.max(Math.floor(Math.log2(zoom) + 0.25), 0), levels.length - 1)]; }
