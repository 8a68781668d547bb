// A strip: what is brushed goes to the maps of its group at once, and to the server when the hand rests; of its bars
// that part is full which the lasso on the maps and the other strips hold.

const REPORT_AFTER = 250;
const links = (window.embedlabMapLinks ??= new EventTarget());
const brushes = (window.embedlabBrushes ??= new Map()); // group -> Map: strip -> a byte a row
const lassos = (window.embedlabLassos ??= new Map()); // group -> a byte a row, 1 where the lasso on the maps holds it
const strips = new WeakMap();

class StripView {
  constructor(root) {
    this.root = root.querySelector(".strip");
    this.part = (name) => this.root.querySelector(`.${name}`);
    this.bins = [];
    this.onLinked = ({ detail }) => detail.from !== this && (detail.kind === "brush" || detail.kind === "lasso") && this.cross();
    this.part("clear").addEventListener("click", () => this.picture?.clear());
  }

  async update(data, send) {
    this.send = send;
    const turn = (this.turn = (this.turn ?? 0) + 1), isOther = this.data?.bins !== data.bins;
    let loaded;
    try {
      loaded = await fetchArray(data.bins, data.token);
    } catch {
      this.part("told").textContent = "This column is no longer on the server. Reload the page; nothing is lost.";
      return;
    }
    if (turn !== this.turn || this.closed) return;
    if (this.data && (this.data.group !== data.group || isOther)) this.forget();
    if (this.data?.kind !== data.kind) {
      this.picture?.close();
      this.picture = new (data.kind === "bars" ? Bars : Histogram)(this.part("picture"), (bins) => this.brush(bins));
    }
    if (this.data?.group !== data.group) {
      links.removeEventListener(this.data?.group, this.onLinked);
      links.addEventListener(data.group, this.onLinked);
    }
    this.data = data;
    this.binOf = new Uint8Array(loaded);
    this.part("title").textContent = data.title;
    this.picture.set(data, this.bins);
    this.say();
    this.cross();
  }

  /** How many texts of each step the lasso and the other strips hold; all of them where nothing is held. */
  cross() {
    this.crossing ??= requestAnimationFrame(() => {
      this.crossing = undefined;
      if (this.closed || !this.picture) return;
      const others = [...(brushes.get(this.data.group) ?? [])].filter(([strip]) => strip !== this).map(([, mask]) => mask);
      if (lassos.has(this.data.group)) others.push(lassos.get(this.data.group));
      const held = others.length ? this.data.counts.map(() => 0) : null;
      for (let row = 0; held && row < this.binOf.length; row++) {
        const bin = this.binOf[row];
        if (bin < held.length && others.every((mask) => mask[row])) held[bin]++;
      }
      this.held = held;
      this.picture.hold(held);
      this.say();
    });
  }

  brush(bins) {
    this.bins = bins;
    this.say();
    this.light();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.send("brushed", bins.length ? { of: this.data.bins, bins } : null), REPORT_AFTER);
  }

  /** Tell the maps, once a picture: dragging asks more often than that. */
  light() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      if (this.closed) return;
      const { group } = this.data, isLit = new Uint8Array(256);
      if (!brushes.has(group)) brushes.set(group, new Map());
      if (!this.bins.length) brushes.get(group).delete(this);
      else {
        for (const bin of this.bins) isLit[bin] = 1;
        brushes.get(group).set(this, this.binOf.map((bin) => isLit[bin]));
      }
      links.dispatchEvent(new CustomEvent(group, { detail: { from: this, kind: "brush" } }));
    });
  }

  say() {
    const { counts, edges, names, kind, missing, without, is_open: isOpen } = this.data, { bins } = this;
    const held = bins.reduce((sum, bin) => sum + (this.held ?? counts)[bin], 0), texts = held.toLocaleString("en");
    this.part("clear").hidden = !bins.length;
    const range = () => isOpen && bins.at(-1) === counts.length - 1 ? `${written(edges[bins[0]])} and more` : `${written(edges[bins[0]])} to below ${written(edges[bins.at(-1) + 1])}`;
    const what = !bins.length ? "" : kind === "bars" ? bins.map((bin) => names[bin]).join(", ") : range();
    const hint = kind === "bars" ? "Click to highlight some on the maps" : "Drag to highlight a part on the maps";
    this.part("told").textContent = bins.length ? `${what}: ${texts} ${held === 1 ? "text" : "texts"}` : hint + (missing ? `; ${missing.toLocaleString("en")} ${missing === 1 ? "text has" : "texts have"} ${without}` : "");
  }

  /** The maps go on without this strip. */
  forget() {
    this.bins = [];
    if (brushes.get(this.data?.group)?.delete(this)) links.dispatchEvent(new CustomEvent(this.data.group, { detail: { from: this, kind: "brush" } }));
  }

  close() {
    this.closed = true;
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.drawing);
    cancelAnimationFrame(this.crossing);
    links.removeEventListener(this.data?.group, this.onLinked);
    this.forget();
    this.picture?.close();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  let strip = strips.get(parentElement);
  if (!strip) strips.set(parentElement, (strip = new StripView(parentElement)));
  strip.update(data, setStateValue);
  return () => {
    strips.delete(parentElement);
    strip.close();
  };
}
