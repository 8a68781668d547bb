// One map: what the server sends becomes points, names and legend; what the reader does goes back as a small state.

const NO_CLASS = 65535;
const HOVER_RADIUS = 9;
const LEGEND_WIDTH = 240; // it begins open where it covers no point
const KEY_MOVES = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const links = (window.embedlabMapLinks ??= new EventTarget()); // maps of one group tell each other, without the server
const maps = new WeakMap(); // by the element Streamlit gave them: a rerun finds its map again, with its zoom

class MapView {
  constructor(root) {
    this.root = root.querySelector(".map");
    this.part = (name) => this.root.querySelector(`.${name}`);
    this.frame = this.part("frame");
    this.marks = this.part("marks");
    this.view = new View();
    this.names = new Names(this.part("names"));
    this.legend = new Legend(this.part("legend"), (told) => this.filtered(told));
    this.card = new Card(this.part("card"), () => this.unpin());
    this.shown = {}; // content ids of what is drawn
    this.hovered = this.picked = -1;
    this.sendLater = {};
    this.chosen = null; // Uint8Array: 1 where the lasso (here or in a linked map) holds the point
    this.gestures = new Gestures(this.frame, this.marks, {
      move: (dx, dy) => { this.view.move(dx, dy); this.viewChanged(); },
      zoom: (x, y, factor) => { const did = this.view.zoomAt(x, y, factor); if (did) this.viewChanged(); return did; },
      hover: (x, y) => this.hover(x, y),
      leave: () => this.setHovered(-1),
      click: (x, y) => this.pick(this.pointAt(x, y)),
      lasso: (path, done) => this.lasso(path, done),
      key: (name) => this.key(name),
    });
    for (const button of this.root.querySelectorAll("[data-tool]")) button.addEventListener("click", () => this.use(button.dataset.tool));
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(this.frame);
    this.onLinked = ({ detail }) => detail.from !== this && this.linked(detail);
  }

  // ------------------------------------------------------------------ from the server

  async update(data, send) {
    this.send = send;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.height = data.height;
    this.resize();
    if (this.group !== data.group) {
      if (this.group) links.removeEventListener(this.group, this.onLinked);
      if (data.group) links.addEventListener(data.group, this.onLinked);
      this.group = data.group;
    }
    let loaded;
    if (!this.shown.points) this.say(`Fetching ${data.count.toLocaleString("en")} points`, true);
    try {
      loaded = await Promise.all(
        [data.points, data.rows, data.categories, data.bright].map((id) => (id ? fetchArray(id, data.token) : null)));
    } catch {
      return this.say("The points of this map are no longer on the server. Reload the page; nothing is lost.", true);
    }
    if (turn !== this.turn || this.closed) return;
    this.take(data, loaded);
  }

  take(data, [points, rows, categories, bright]) {
    const before = this.shown;
    this.data = data;
    this.shown = { points: data.points, categories: data.categories, rows: data.rows };
    this.points ??= this.newPoints();
    if (before.points !== data.points) {
      this.places = new Float32Array(points);
      this.view.bounds = boundsOf(this.places);
      this.grid = new PointGrid(this.places, this.view.bounds);
      this.view.reset();
      this.chosen = null;
      this.polygon = null;
      this.hovered = this.picked = -1;
      this.card.hide();
      this.points.setPoints(this.places);
    }
    if (before.points !== data.points || before.rows !== data.rows) {
      this.rows = rows ? new Int32Array(rows) : null;
      this.pointOfRow = null;
    }
    this.bright = bright ? new Uint8Array(bright) : null;
    if (before.categories !== data.categories || before.points !== data.points) {
      this.categories = new Uint16Array(categories).map((category) => (category === NO_CLASS ? data.names.length : category));
      this.points.setCategories(this.categories);
    }
    const naming = JSON.stringify([data.names, data.names_on_map, this.shown]);
    if (naming !== this.naming) this.nameClasses(before.categories !== data.categories);
    this.naming = naming;
    this.write("title", data.title);
    this.write("corner", data.corner);
    this.write("caption", data.caption);
    this.frame.setAttribute("aria-label", `${data.alt} Arrow keys move, plus and minus zoom, 0 shows all, l is the lasso, Enter reads the text in the middle.`);
    this.root.querySelector("[data-tool=legend]").hidden = !data.legend;
    if (this.legendWanted === undefined) this.showLegend(data.legend && data.names.length > 1 && this.frame.clientWidth > data.height + 2 * LEGEND_WIDTH);
    this.paint();
    this.resize();
    this.updateStates();
    this.sayChosen();
  }

  newPoints() {
    try {
      return new PointsGL(this.part("points"), () => this.redraw());
    } catch (reason) {
      const canvas = document.createElement("canvas"); // one that was asked for WebGL2 cannot become a 2-D one
      canvas.className = "points";
      this.part("points").replaceWith(canvas);
      this.fallback = "This browser draws the map without WebGL2, so large maps move slowly.";
      return new Points2D(canvas);
    }
  }

  nameClasses(anew) {
    const { names, names_on_map: onMap } = this.data, sizes = new Uint32Array(names.length + 1);
    for (const category of this.categories) sizes[category]++;
    const named = Math.min(names.length, NAMES_AT_MOST);
    const places = onMap ? densestPlaces(this.places, this.categories, named, this.view.bounds) : [];
    this.names.set(names.slice(0, onMap ? named : 0).map((name, category) => ({ name, place: places[category], size: sizes[category] })));
    const entries = names.map((name, category) => ({ name, category, count: sizes[category] })).filter(({ count }) => count);
    entries.sort((a, b) => b.count - a.count || a.category - b.category);
    if (sizes[names.length]) entries.push({ name: this.data.without, category: names.length, count: sizes[names.length] });
    this.legend.set(entries, anew);
  }

  /** Colours for the theme now in use. */
  paint() {
    if (!this.data) return;
    this.theme = readTheme(this.root);
    const colours = this.theme.dark ? this.data.dark : this.data.light;
    this.palette = colours.map(parseColour);
    this.root.style.setProperty("--quiet", css(this.theme.quiet));
    this.points.setPalette(this.palette);
    this.names.paint(this.palette, this.theme);
    this.legend.paint(this.palette);
    this.redraw();
  }

  // ------------------------------------------------------------------ what is shown

  /** One byte a point: hidden, dim, behind, normal or chosen. */
  updateStates() {
    const count = this.places.length / 2, states = new Uint8Array(count), withoutClass = this.data.names.length;
    for (let point = 0; point < count; point++) {
      const category = this.categories[point];
      if (this.legend.gone.has(category)) states[point] = HIDDEN;
      else if (!this.legend.isOn(category) || (this.bright && !this.bright[point]) || (this.chosen && !this.chosen[point])) states[point] = DIM;
      else if (this.bright || this.chosen) states[point] = CHOSEN;
      else states[point] = category === withoutClass ? BEHIND : NORMAL;
    }
    this.states = states;
    this.points.setStates(states);
    this.redraw();
  }

  resize() {
    this.frame.style.height = `${Math.min(this.height ?? 300, Math.max(this.frame.clientWidth * 1.1, 300))}px`; // narrow, then lower
    const density = Math.min(window.devicePixelRatio || 1, 2);
    [this.view.width, this.view.height] = [Math.max(this.frame.clientWidth, 1), Math.max(this.frame.clientHeight, 1)];
    for (const canvas of [this.part("points"), this.marks])
      [canvas.width, canvas.height] = [Math.round(this.view.width * density), Math.round(this.view.height * density)];
    this.redraw();
  }

  redraw() {
    this.drawing ??= requestAnimationFrame(() => { this.drawing = null; this.draw(); });
  }

  draw() {
    if (!this.theme || this.closed) return;
    this.look = pointLook(this.view, this.places.length / 2);
    this.points.draw(this.view, this.look, this.theme);
    const path = this.path ?? this.polygon?.map(([x, y]) => this.view.toPixels(x, y));
    const rings = [...new Set([this.picked, this.hovered])].filter((point) => point >= 0).map((point) => ({
      at: this.view.toPixels(this.places[2 * point], this.places[2 * point + 1]), colour: this.palette[this.categories[point]],
    }));
    drawMarks(this.marks, this.view, this.theme, path, rings, Math.max(this.look.diameter * 0.9, 5.5));
    const taken = [...boxesOf(this.frame, ["title", "corner", "tools", "legend", "status"].map(this.part)), ...drawPlaces(this.marks, this.view, this.theme, this.data.marks)];
    this.names.arrange(this.view, taken, (category) => this.legend.isOn(category));
  }

  // ------------------------------------------------------------------ what the reader does

  use(tool) {
    const middle = [this.view.width / 2, this.view.height / 2];
    if (tool === "pan" || tool === "lasso") this.setTool(tool);
    else if (tool === "legend") this.showLegend(!this.legendWanted);
    else if (tool === "reset") { this.view.reset(); this.viewChanged(); }
    else if (this.view.zoomAt(...middle, tool === "closer" ? KEY_ZOOM : 1 / KEY_ZOOM)) this.viewChanged();
  }

  setTool(tool) {
    this.gestures.tool = tool;
    this.marks.classList.toggle("lasso", tool === "lasso");
    for (const name of ["pan", "lasso"]) this.root.querySelector(`[data-tool=${name}]`).setAttribute("aria-pressed", String(name === tool));
  }

  showLegend(wanted) {
    this.legendWanted = wanted;
    this.part("legend").hidden = !wanted;
    this.root.querySelector("[data-tool=legend]").setAttribute("aria-expanded", String(wanted));
    this.redraw();
  }

  key(name) {
    if (!this.theme) return false;
    if (KEY_MOVES[name]) { this.view.move(...KEY_MOVES[name].map((step) => step * KEY_STEP)); this.viewChanged(); }
    else if (name === "+") this.use("closer");
    else if (name === "-") this.use("farther");
    else if (name === "0") this.use("reset");
    else if (name === "l") this.setTool(this.gestures.tool === "lasso" ? "pan" : "lasso");
    else if (name === "Enter") this.pick(this.pointAt(this.view.width / 2, this.view.height / 2, 60));
    else if (name === "Escape") this.clear();
    else return false;
    return true;
  }

  pointAt(left, top, radius = HOVER_RADIUS) {
    if (!this.grid) return -1;
    return this.grid.nearest(...this.view.toPlane(left, top), radius / this.view.scale, (point) => this.states[point] >= BEHIND);
  }

  hover(left, top) {
    if (this.path) return;
    const point = this.pointAt(left, top);
    this.marks.classList.toggle("over", point >= 0 && this.gestures.tool === "pan");
    this.setHovered(point);
  }

  setHovered(point) {
    if (point === this.hovered) return;
    this.hovered = point;
    this.tell({ kind: "hover", row: point < 0 ? null : this.rowOf(point) });
    if (!this.card.pinned) point < 0 ? this.card.hide() : this.showCard(point, false);
    this.redraw();
  }

  showCard(point, pinned) {
    const category = this.categories[point];
    this.card.show({
      row: this.rowOf(point), pinned, source: this.data.corpus ? { corpus: this.data.corpus, token: this.data.token } : null,
      label: this.data.names[category] ?? this.data.without, colour: css(this.palette[category]), frame: this.view,
      at: this.view.toPixels(this.places[2 * point], this.places[2 * point + 1]),
    });
  }

  pick(point) {
    if (point < 0) return this.unpin();
    this.picked = point;
    this.showCard(point, true);
    this.tell({ kind: "pick", row: this.rowOf(point) });
    this.redraw();
    this.sendSoon("picked", this.rowOf(point));
  }

  unpin() {
    if (this.picked < 0 && !this.card.pinned) return;
    this.picked = -1;
    this.card.hide();
    this.tell({ kind: "pick", row: null });
    this.redraw();
    this.sendSoon("picked", null);
  }

  lasso(path, done) {
    this.setHovered(-1);
    this.path = done || path.length < 2 ? null : path;
    if (done && path.length > 2) this.select(path.map(([left, top]) => this.view.toPlane(left, top)));
    else if (done) this.clear();
    this.redraw();
  }

  select(polygon) {
    this.polygon = polygon;
    const chosen = new Uint8Array(this.places.length / 2), bounds = boundsOf(polygon.flat()), rows = [];
    for (let point = 0; point < chosen.length; point++) {
      const x = this.places[2 * point], y = this.places[2 * point + 1];
      if (x < bounds[0] || x > bounds[2] || y < bounds[1] || y > bounds[3]) continue;
      if (!this.legend.isOn(this.categories[point]) || !insidePolygon(x, y, polygon)) continue;
      chosen[point] = 1;
      rows.push(this.rowOf(point));
    }
    this.choose(chosen);
    this.tell({ kind: "select", rows });
    this.sendSoon("selection", { of: this.data.points, polygon });
  }

  choose(chosen) {
    this.chosen = chosen;
    this.updateStates();
    this.sayChosen();
  }

  sayChosen() {
    const count = this.chosen?.reduce((sum, one) => sum + one, 0);
    this.say(this.chosen ? `${count.toLocaleString("en")} texts selected · Esc clears` : this.fallback ?? "");
  }

  clear() {
    this.unpin();
    if (!this.chosen) return;
    const own = this.polygon;
    this.polygon = this.path = null;
    this.choose(null);
    this.tell({ kind: "select", rows: null });
    if (own) this.sendSoon("selection", null);
  }

  filtered(told) {
    if (!this.places) return;
    this.updateStates();
    if (told) return;
    const isolated = [...this.legend.isolated], gone = [...this.legend.gone];
    this.tell({ kind: "filter", isolated, gone });
    this.sendSoon("filter", { of: this.data.categories, isolated, hidden: gone }, 350); // a double click begins as two clicks
  }

  viewChanged() {
    if (this.card.pinned) this.showCard(this.picked, true);
    else this.setHovered(-1);
    if (this.data?.link_zoom) this.tell({ kind: "view", middle: this.view.middle, zoom: this.view.zoom });
    this.redraw();
  }

  // ------------------------------------------------------------------ to the others

  rowOf(point) { return this.rows ? this.rows[point] : point; }

  pointOf(row) {
    if (row === null) return -1;
    if (!this.rows) return row < this.places.length / 2 ? row : -1;
    this.pointOfRow ??= new Map(Array.from(this.rows, (own, point) => [own, point]));
    return this.pointOfRow.get(row) ?? -1;
  }

  tell(detail) {
    if (this.group) links.dispatchEvent(new CustomEvent(this.group, { detail: { from: this, ...detail } }));
  }

  linked(told) {
    if (!this.places) return;
    if (told.kind === "hover") this.hovered = this.pointOf(told.row);
    else if (told.kind === "pick") {
      if (this.card.pinned) this.sendSoon("picked", null); // one picked text a group, like the selection
      this.card.hide();
      this.picked = this.pointOf(told.row);
    }
    else if (told.kind === "filter") this.legend.apply(told.isolated, told.gone, true);
    else if (told.kind === "view") { if (this.data.link_zoom) Object.assign(this.view, { middle: told.middle, zoom: told.zoom }); }
    else if (told.kind === "select") {
      if (this.polygon) this.sendSoon("selection", null); // one selection a group: that of the map lassoed last
      this.polygon = null;
      const chosen = told.rows && new Uint8Array(this.places.length / 2);
      told.rows?.forEach((row) => { const point = this.pointOf(row); if (point >= 0) chosen[point] = 1; });
      this.choose(chosen);
    }
    this.redraw();
  }

  /** One message to the server for what changes together: each message runs the page again. */
  sendSoon(name, value, after = 0) {
    clearTimeout(this.sendLater[name]?.timer);
    if (this.data) this.sendLater[name] = { timer: setTimeout(() => this.send(name, value), after) };
  }

  say(sentence, waiting = false) {
    this.part("status").textContent = sentence;
    this.part("status").classList.toggle("waiting", waiting);
  }

  write(name, text) {
    this.part(name).textContent = text;
    this.part(name).hidden = !text;
  }

  close() {
    this.closed = true;
    cancelAnimationFrame(this.drawing);
    for (const { timer } of Object.values(this.sendLater)) clearTimeout(timer);
    if (this.group) links.removeEventListener(this.group, this.onLinked);
    this.resizing.disconnect();
    this.gestures.close();
    this.points?.close();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  let map = maps.get(parentElement);
  if (!map) maps.set(parentElement, (map = new MapView(parentElement)));
  map.paint(); // the theme may be what changed
  map.update(data, setStateValue);
  return () => {
    maps.delete(parentElement);
    map.close();
  };
}
