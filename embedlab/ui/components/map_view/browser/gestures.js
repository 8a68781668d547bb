// Mouse, touch, wheel and keys, turned into: move, zoom, lasso, hover, click.

const KEY_STEP = 60, KEY_ZOOM = 1.35, CLICK_PIXELS = 4;

class Gestures {
  /** `to`: {move(dx, dy), zoom(x, y, factor) -> moved?, hover(x, y), leave(), click(x, y, second), lasso(path, done), key(name, second) -> used?} */
  constructor(frame, surface, to) {
    this.surface = surface;
    this.to = to;
    this.tool = "pan";
    this.still = false; // a picture: neither moved nor lassoed
    this.pointers = new Map();
    this.ending = new AbortController();
    const listen = (target, type, heard, options) =>
      target.addEventListener(type, heard.bind(this), { signal: this.ending.signal, ...options });
    listen(surface, "pointerdown", this.down);
    listen(surface, "pointermove", this.moved);
    listen(surface, "pointerup", this.up);
    listen(surface, "pointercancel", this.up);
    listen(surface, "pointerleave", () => to.leave());
    listen(surface, "wheel", this.wheel, { passive: false });
    listen(surface, "dblclick", (event) => to.zoom(...this.place(event), 2));
    listen(frame, "keydown", this.key);
  }

  place(event) {
    const box = this.surface.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    if (event.button > 0) return;
    this.surface.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.place(event));
    this.start = this.place(event);
    this.travelled = this.pointers.size > 1; // two fingers never click
    this.path = this.pointers.size === 1 && !this.still && (this.tool === "lasso" || event.shiftKey) ? [this.start] : null;
    if (!this.still) this.surface.classList.add("dragging");
  }

  moved(event) {
    const now = this.place(event), before = this.pointers.get(event.pointerId);
    if (!before) return this.to.hover(...now);
    if (Math.hypot(now[0] - this.start[0], now[1] - this.start[1]) > CLICK_PIXELS) this.travelled = true;
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    else if (this.path) {
      const last = this.path.at(-1);
      if (Math.hypot(now[0] - last[0], now[1] - last[1]) >= 3) this.path.push(now);
      this.to.lasso(this.path, false);
    } else if (this.travelled) this.to.move(now[0] - before[0], now[1] - before[1]);
    this.pointers.set(event.pointerId, now);
  }

  pinch(moving, before, now) {
    const [, still] = [...this.pointers].find(([id]) => id !== moving);
    const spread = (place) => Math.max(Math.hypot(place[0] - still[0], place[1] - still[1]), 1);
    this.to.move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.to.zoom((now[0] + still[0]) / 2, (now[1] + still[1]) / 2, spread(now) / spread(before));
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId) || this.pointers.size) return;
    this.surface.classList.remove("dragging");
    const path = this.path;
    this.path = null;
    if (event.type === "pointercancel") this.to.lasso([], false);
    else if (!this.travelled) { if (path) this.to.lasso([], false); this.to.click(...this.place(event), event.ctrlKey || event.metaKey); }
    else if (path) this.to.lasso(path, true);
  }

  wheel(event) {
    const factor = Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.0018));
    if (this.to.zoom(...this.place(event), factor)) event.preventDefault(); // at the limit the page scrolls on
  }

  key(event) {
    const second = event.ctrlKey || event.metaKey;
    if ((second && event.key !== "Enter") || event.altKey) return;
    const name = event.key === "=" ? "+" : event.key === "_" ? "-" : event.key;
    if (event.target !== event.currentTarget && ["Enter", " "].includes(name)) return; // a button of the toolbar has it
    if (this.to.key(name, second)) { event.preventDefault(); event.stopPropagation(); }
  }

  close() { this.ending.abort(); }
}
