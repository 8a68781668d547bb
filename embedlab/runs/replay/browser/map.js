// The map: points between two frames, names, the card of a text; pointer, wheel and keys.

const dark = matchMedia("(prefers-color-scheme: dark)");
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

class ReplayMap {
  constructor(legend) {
    this.canvas = element("canvas");
    this.pen = this.canvas.getContext("2d");
    this.card = element("card");
    this.view = new View();
    this.legend = legend;
    this.hovered = this.pinned = -1; // points of the file
    this.listen();
    this.readColours();
    this.density = 1;
    new ResizeObserver(() => this.fit()).observe(element("frame"));
    dark.addEventListener("change", () => { this.readColours(); this.legend.paint(this); this.draw(); });
  }

  readColours() {
    const side = dark.matches ? 2 : 1;
    this.colours = content.classes.map((each) => each[side]);
    this.inks = content.classes.map((each) => each[side + 2]);
    this.unlabeled = content.unlabeled[side - 1];
    [this.ground, this.ink, this.quiet] = ["ground", "ink", "quiet"].map(variable);
  }

  colourOf(category) { return this.colours[category] ?? this.unlabeled; }

  /** `scene`: {points, order, frames: [{places, names}]} */
  show(scene) {
    this.scene = scene;
    this.shown = { points: scene.points, order: scene.order, places: new Float32Array(2 * scene.points.length) };
    const bounds = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { places } of scene.frames)
      for (let place = 0; place < places.length; place += 2) {
        bounds[0] = Math.min(bounds[0], places[place]); bounds[2] = Math.max(bounds[2], places[place]);
        bounds[1] = Math.min(bounds[1], places[place + 1]); bounds[3] = Math.max(bounds[3], places[place + 1]);
      }
    this.view.bounds = bounds;
    this.view.reset();
    this.hovered = this.pinned = -1;
  }

  /** Move the points to `at`: 1.5 is half way from the second to the third frame. */
  moveTo(at) {
    const { frames } = this.scene, first = Math.min(Math.floor(at), frames.length - 1), second = Math.min(first + 1, frames.length - 1), share = at - first;
    const from = frames[first].places, to = frames[second].places, { places } = this.shown;
    for (let place = 0; place < places.length; place++) places[place] = from[place] + (to[place] - from[place]) * share;
    this.named = this.scene.bySize.map((category) => {
      const [one, other] = [frames[first].names[category], frames[second].names[category]];
      const place = one && other ? [0, 1].map((axis) => one[axis] + (other[axis] - one[axis]) * share) : null;
      return { name: this.scene.shortNames[category], place, category };
    });
    this.draw();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = element("frame"), density = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    [this.view.width, this.view.height, this.density] = [width, height, density];
    this.draw();
  }

  draw() {
    if (!this.scene || this.asked || !this.view.width) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.drawNow(); });
  }

  drawNow() {
    const { pen, view, density } = this, isOn = (category) => this.legend.isOn(category);
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.fillStyle = this.ground;
    pen.fillRect(0, 0, view.width, view.height);
    drawPoints(pen, view, this.shown, isOn, (category) => this.colourOf(category), this.quiet, density);
    drawNames(pen, view, this.named.map((each) => ({ ...each, colour: this.inks[each.category] })), isOn, this.ground);
    const point = this.pinned >= 0 ? this.pinned : this.hovered;
    if (point < 0) return;
    const [left, top] = this.placeOf(point);
    pen.beginPath();
    pen.arc(left, top, 6.5, 0, 2 * Math.PI);
    pen.fillStyle = this.colourOf(categories[point]);
    pen.fill();
    pen.lineWidth = 2;
    pen.strokeStyle = this.ink;
    pen.stroke();
    this.putCard(left, top);
  }

  /** Pixels of a point within the frame, null where this view does not show it. */
  placeOf(point) {
    const place = this.scene.placeOf.get(point);
    return place === undefined ? null : this.view.toPixels(this.shown.places[2 * place], this.shown.places[2 * place + 1]);
  }

  nearest(left, top, radius) {
    let best = -1, shortest = radius * radius;
    this.shown.points.forEach((point, place) => {
      if (!this.legend.isOn(categories[point])) return;
      const [x, y] = this.view.toPixels(this.shown.places[2 * place], this.shown.places[2 * place + 1]);
      const away = (x - left) ** 2 + (y - top) ** 2;
      if (away <= shortest) [best, shortest] = [point, away];
    });
    return best;
  }

  look(point, pinned = false) {
    if (pinned) this.pinned = point;
    else this.hovered = point;
    const shown = this.pinned >= 0 ? this.pinned : this.hovered;
    this.card.hidden = shown < 0;
    this.card.classList.toggle("pinned", this.pinned >= 0);
    this.canvas.classList.toggle("over", this.hovered >= 0);
    if (shown >= 0) {
      const [title, text] = content.texts ? content.texts[shown] : ["", `Text ${numbered(rows[shown] + 1)} of the corpus`];
      this.card.querySelector(".dot").style.background = this.colourOf(categories[shown]);
      this.card.querySelector(".label").textContent = content.classes[categories[shown]]?.[0] ?? "no class";
      this.card.querySelector(".card-title").textContent = title;
      this.card.querySelector(".card-text").textContent = text;
    }
    this.draw();
  }

  putCard(left, top) {
    const { offsetWidth: width, offsetHeight: height } = this.card, gap = 14;
    const x = left + gap + width < this.view.width ? left + gap : Math.max(left - gap - width, 6);
    const y = Math.min(Math.max(top - height / 3, 6), Math.max(this.view.height - height - 6, 6));
    this.card.style.transform = `translate(${Math.min(x, Math.max(this.view.width - width - 6, 6))}px, ${y}px)`;
  }

  zoom(factor, left = this.view.width / 2, top = this.view.height / 2) { this.view.zoomAt(left, top, factor); this.draw(); }
  whole() { this.view.reset(); this.draw(); }

  listen() {
    const { canvas } = this;
    let from = null, moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      [from, moved] = [[event.offsetX, event.offsetY], 0];
      if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from && event.pointerType === "mouse") {
        const step = [event.offsetX - from[0], event.offsetY - from[1]];
        moved += Math.hypot(...step);
        if (moved > 4) { this.view.move(...step); canvas.classList.add("moving"); this.draw(); }
        from = [event.offsetX, event.offsetY];
      } else if (event.pointerType === "mouse") this.look(this.nearest(event.offsetX, event.offsetY, 14));
    });
    canvas.addEventListener("pointerup", (event) => {
      canvas.classList.remove("moving");
      if (from && moved <= 4) this.look(this.nearest(event.offsetX, event.offsetY, event.pointerType === "mouse" ? 14 : 24), true);
      from = null;
    });
    canvas.addEventListener("pointercancel", () => { from = null; canvas.classList.remove("moving"); });
    canvas.addEventListener("pointerleave", () => !from && this.look(-1));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY); }, { passive: false });
    canvas.addEventListener("dblclick", () => this.whole());
  }
}

/** The list of classes: by size, searchable when long; a click shows one alone. */
class Legend {
  constructor(changed) {
    this.changed = changed;
    this.chosen = new Set();
    const sizes = new Map();
    categories.forEach((category) => sizes.set(category, (sizes.get(category) ?? 0) + 1));
    this.entries = [...sizes].map(([category, size]) => ({ category, size, name: content.classes[category]?.[0] ?? "no class" }));
    this.entries.sort((a, b) => (a.category === NO_CLASS) - (b.category === NO_CLASS) || b.size - a.size || a.category - b.category);
    element("legend").hidden = content.classes.length === 0;
    element("find").hidden = this.entries.length <= 20;
    for (const entry of this.entries) {
      const item = document.createElement("li"), button = document.createElement("button");
      const [dot, name, count] = ["dot", "name", "count"].map((part) => Object.assign(document.createElement("span"), { className: part }));
      button.type = "button";
      name.textContent = button.title = entry.name;
      name.dir = "auto";
      count.textContent = numbered(entry.size);
      button.append(dot, name, count);
      button.addEventListener("click", (event) => this.choose(entry.category, event.shiftKey || event.ctrlKey || event.metaKey));
      item.append(button);
      Object.assign(entry, { item, dot, button });
    }
    element("legend").querySelector("ul").replaceChildren(...this.entries.map(({ item }) => item));
    element("all").addEventListener("click", () => { this.chosen.clear(); this.show(); });
    element("find").addEventListener("input", (event) => {
      const wanted = event.target.value.trim().toLowerCase();
      for (const { item, name } of this.entries) item.hidden = !name.toLowerCase().includes(wanted);
    });
  }

  isOn(category) { return this.chosen.size === 0 || this.chosen.has(category); }

  choose(category, adds) {
    const alone = this.chosen.size === 1 && this.chosen.has(category);
    if (adds) this.chosen.delete(category) || this.chosen.add(category);
    else { this.chosen.clear(); if (!alone) this.chosen.add(category); }
    this.show();
  }

  show() {
    element("all").hidden = this.chosen.size === 0;
    for (const { item, button, category } of this.entries) {
      item.classList.toggle("off", !this.isOn(category));
      button.setAttribute("aria-pressed", String(this.chosen.has(category)));
    }
    this.changed();
  }

  paint(map) { for (const { dot, category } of this.entries) dot.style.background = map.colourOf(category); }
}
