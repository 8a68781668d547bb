// A histogram to brush: drag, or arrow keys; Shift with an arrow widens, Escape and a double click end it.

const MARGIN = { left: 46, right: 10, top: 5, bottom: 20 };
const written = (value) => Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });

class Histogram {
  /** `brushed(bins)`: an array of neighboring bins, or empty. */
  constructor(place, brushed) {
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("tabindex", "0");
    this.svg.setAttribute("role", "application");
    this.brushed = brushed;
    place.replaceChildren(this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("pointermove", (event) => this.from !== undefined && this.brush(this.from, this.binAt(event)));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => (this.from = undefined));
    this.svg.addEventListener("dblclick", () => this.clear());
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(this.svg);
  }

  set(data, bins) {
    this.data = data;
    this.range = bins.length ? [bins[0], bins.at(-1)] : null;
    this.svg.setAttribute("height", data.height);
    this.svg.setAttribute("aria-label", `Histogram of ${data.title}, ${written(data.edges[0])} to ${written(data.edges.at(-1))}. `
      + "Arrow keys move the selected part, Shift and an arrow widens it, Escape clears it.");
    this.draw();
  }

  /** `held`: of each step so many are held by the lasso and other strips, or null. */
  hold(held) {
    this.held = held;
    this.draw();
  }

  get last() { return this.data.counts.length - 1; }
  get wide() { return Math.max(this.svg.clientWidth - MARGIN.left - MARGIN.right, 1); }
  left(bin) { return MARGIN.left + (bin / (this.last + 1)) * this.wide; }

  binAt(event) {
    const share = (event.clientX - this.svg.getBoundingClientRect().left - MARGIN.left) / this.wide;
    return Math.min(Math.max(Math.floor(share * (this.last + 1)), 0), this.last);
  }

  down(event) {
    if (event.button > 0 || event.detail > 1) return;
    this.svg.setPointerCapture(event.pointerId);
    this.from = this.binAt(event);
    this.brush(this.from, this.from);
  }

  brush(one, other) {
    this.range = [Math.min(one, other), Math.max(one, other)];
    this.draw();
    this.brushed(Array.from({ length: this.range[1] - this.range[0] + 1 }, (_, index) => this.range[0] + index));
  }

  clear() {
    this.range = this.from = undefined;
    this.draw();
    this.brushed([]);
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || (event.key !== "Escape" && !step)) return;
    event.preventDefault();
    if (event.key === "Escape") return this.clear();
    if (!this.range) return step > 0 ? this.brush(0, Math.ceil(this.last / 6)) : this.brush(this.last - Math.ceil(this.last / 6), this.last);
    const [low, high] = this.range;
    if (event.shiftKey) this.brush(low, Math.min(Math.max(high + step, low), this.last));
    else if (low + step >= 0 && high + step <= this.last) this.brush(low + step, high + step);
  }

  draw() {
    if (!this.data) return;
    const { counts, edges, height, is_open: isOpen } = this.data, floor = height - MARGIN.bottom, most = Math.max(...counts, 1), nodes = [];
    const add = (tag, attributes, text) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      if (text !== undefined) node.textContent = text;
      nodes.push(node);
    };
    if (this.range) add("rect", { class: "brush", x: this.left(this.range[0]), y: MARGIN.top, width: this.left(this.range[1] + 1) - this.left(this.range[0]), height: floor - MARGIN.top });
    counts.forEach((count, bin) => {
      const isInside = this.range && bin >= this.range[0] && bin <= this.range[1];
      const bar = (number, kind) => {
        const tall = number ? Math.max(((floor - MARGIN.top) * number) / most, 1) : 0;
        add("rect", { class: kind, x: this.left(bin) + 0.5, y: floor - tall, width: Math.max(this.left(bin + 1) - this.left(bin) - 1, 0.5), height: tall });
      };
      if (this.held) bar(count, "bar all");
      bar(this.held ? this.held[bin] : count, isInside ? "bar inside" : "bar");
    });
    add("line", { class: "axis", x1: MARGIN.left, x2: MARGIN.left + this.wide, y1: floor + 0.5, y2: floor + 0.5 });
    add("text", { x: MARGIN.left - 6, y: MARGIN.top + 9, "text-anchor": "end" }, most.toLocaleString("en"));
    add("text", { x: MARGIN.left - 6, y: floor, "text-anchor": "end" }, "0");
    const ticks = Math.max(1, Math.min(Math.floor(this.wide / 90), counts.length)), every = Math.ceil(counts.length / ticks);
    for (let bin = 0; bin <= counts.length; bin += every) {
      if (bin !== 0 && this.left(counts.length) - this.left(bin) < 70) continue; // room for the last one
      add("text", { x: this.left(bin), y: height - 5, "text-anchor": bin ? "middle" : "start" }, written(edges[bin]));
    }
    add("text", { x: MARGIN.left + this.wide, y: height - 5, "text-anchor": "end" }, `${written(edges.at(-1))}${isOpen ? " and more" : ""}`);
    for (const side of this.range ? [this.range[0], this.range[1] + 1] : []) add("line", { class: "edge", x1: this.left(side), x2: this.left(side), y1: MARGIN.top, y2: floor });
    this.svg.replaceChildren(...nodes);
  }

  close() { this.resizing.disconnect(); }
}
