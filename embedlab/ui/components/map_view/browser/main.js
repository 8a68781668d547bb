// One map: what the server sends becomes points, names and legend; what the reader does goes back as a small state.

const HOVER_RADIUS = 9;
const LEGEND_WIDTH = 240; // it begins open where it covers no point
const GLIDE_MILLISECONDS = 600, REST = 170; // after that long without moving the names are placed anew
const KEY_MOVES = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const KEYS = "Arrow keys move, plus and minus zoom, 0 shows all, l is the lasso, f fills the screen, Enter reads the text in the middle.";
const VIEW_SOON = 800; // milliseconds of rest before the address says what part is shown
const maps = new WeakMap(); // by the element Streamlit gave them: a rerun finds its map again, with its zoom

class MapView {
  constructor(root) {
    this.root = root.querySelector(".map");
    this.part = (name) => this.root.querySelector(`.${name}`);
    this.tool = (name) => this.root.querySelector(`[data-tool=${name}]`);
    this.frame = this.part("frame");
    this.marks = this.part("marks");
    this.view = new View();
    this.names = new Names(this.part("names"));
    this.legend = new Legend(this.part("legend"), (told) => this.filtered(told));
    this.part("legend").addEventListener("keydown", (event) => event.stopPropagation()); // typing there does not move the map
    this.card = new Card(this.part("card"), () => this.unpin());
    this.slider = new Slider(this.part("slider"), (at) => { this.motion.finish(); this.moveTo(at); this.tellFrame(); });
    this.motion = new Motion();
    this.hovered = -1;
    this.firstRow = this.secondRow = null;
    this.sendLater = {};
    this.chosen = null; // Uint8Array: 1 where the lasso (here or in a linked map) holds the point
    this.gestures = new Gestures(this.frame, this.marks, {
      move: (dx, dy) => { if (this.still) return; this.view.move(dx, dy); this.viewChanged(); },
      zoom: (x, y, factor) => { const did = !this.still && this.view.zoomAt(x, y, factor); if (did) this.viewChanged(); return did; },
      hover: (x, y) => this.hover(x, y),
      leave: () => this.film && this.setHovered(-1),
      click: (x, y, second) => this.pick(this.pointAt(x, y), second),
      lasso: (path, done) => this.lasso(path, done),
      key: (name, second) => this.key(name, second),
    });
    for (const button of this.root.querySelectorAll("[data-tool]")) button.addEventListener("click", () => this.use(button.dataset.tool));
    this.root.addEventListener("fullscreenchange", () => this.screenChanged());
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
    this.join(data.group);
    if (!this.film) this.say(data.still ? "" : `Fetching ${data.count.toLocaleString("en")} points`, true);
    const wanted = { categories: data.categories, rows: data.rows?.id, bright: data.bright, chosen: data.chosen, trails: data.trails, fade: data.fade };
    let loaded, frames;
    try {
      const fetched = (id) => (id ? fetchArray(id, data.token) : null);
      frames = await Promise.all(data.frames.map(([, id]) => fetched(id)));
      loaded = Object.fromEntries(await Promise.all(Object.entries(wanted).map(async ([name, id]) => [name, await fetched(id)])));
    } catch {
      return this.say("The points of this map are no longer on the server. Reload the page; nothing is lost.", true);
    }
    if (turn !== this.turn || this.closed) return;
    this.take(data, loaded, data.frames.map(([name, id], index) => frameOf(id, name, frames[index])));
  }

  take(data, loaded, frames) {
    const before = this.data, isSame = before?.count === data.count && sameRows(before.rows, data.rows);
    const isNew = (name) => !isSame || before[name] !== data[name];
    this.data = data;
    this.points ??= this.newPoints();
    this.still = data.still || Boolean(this.fallback);
    this.gestures.still = this.still;
    this.root.classList.toggle("still", this.still);
    if (!isSame) [this.rows, this.pointOfRow] = [rowsOf(data.rows, loaded.rows, data.count), null];
    if (isNew("categories")) {
      this.categories = data.names.length > 255 ? new Uint16Array(loaded.categories) : new Uint8Array(loaded.categories);
      this.points.setCategories(this.categories);
    }
    if (isNew("fade")) this.points.setFade(loaded.fade && new Uint8Array(loaded.fade));
    if (isNew("trails")) this.points.setTrails(pointsIn(bitsOf(loaded.trails, data.count)));
    if (isNew("bright")) this.bright = bitsOf(loaded.bright, data.count);
    const moved = frames.some(({ id }, index) => this.film?.frames[index]?.id !== id) || !isSame || frames.length !== this.target.frames.length;
    if (moved) this.takeFilm(new Film(frames), isSame, data);
    else this.target.frames.forEach((frame, index) => (frame.name = frames[index].name));
    this.slider.set(frames.map(({ name }) => name), this.target.at);
    if (isNew("chosen") && (data.chosen || !moved)) this.takeChosen(bitsOf(loaded.chosen, data.count));
    this.tellPlace();
    this.write("caption", data.caption);
    this.showBar(data.bar);
    this.frame.tabIndex = data.still ? -1 : 0;
    this.part("tools").hidden = data.still;
    for (const tool of ["pan", "lasso", "closer", "farther", "reset"]) this.tool(tool).hidden = this.still;
    this.tool("screen").hidden = this.still || !document.fullscreenEnabled;
    this.tool("legend").hidden = Boolean(data.bar) || (!data.legend && !this.isWhole());
    if (this.legendWanted === undefined) this.showLegend(data.legend && data.names.length > 1 && this.frame.clientWidth > data.height + 2 * LEGEND_WIDTH);
    if (isNew("categories") || moved || !before) this.nameClasses(isNew("categories"));
    this.paint();
    this.resize();
    const naming = JSON.stringify([data.names_on_map, data.levels, data.contours]);
    if (moved || ["categories", "bright", "chosen"].some(isNew)) this.updateStates();
    this.sayChosen();
    if (before && before.pointed !== data.pointed) this.pointTo(data.pointed);
    if (moved || isNew("categories") || naming !== this.naming) this.rest();
    this.naming = naming;
    this.redraw(["fade", "trails"].some(isNew));
    if (data.plays && !before && !isStill()) this.slider.play();
  }

  /** Other frames: of other texts they are simply there; more of the same, or other places with `glide`, are moved to. */
  takeFilm(film, isSame, data) {
    const old = this.target, isLonger = isSame && old && film.last > old.last && old.frames.every(({ id }, index) => film.frames[index].id === id);
    const isFollowing = old && old.at >= old.last - 1e-6, corners = this.view.bounds;
    this.motion.stop();
    this.grid = null;
    if (this.hovered >= 0) this.setHovered(-1);
    if (!isSame || !(isLonger || data.glide)) {
      [this.film, this.target] = [film, film];
      film.at = data.at ?? film.last;
      this.slider.pause();
      this.view.bounds = this.boundsNow();
      this.view.reset();
      if (!old && data.view) Object.assign(this.view, { middle: data.view.slice(0, 2), zoom: data.view[2] });
      [this.chosen, this.polygon, this.firstRow, this.secondRow, this.toldPicks] = [null, null, null, null, null];
      this.card.hide();
    } else if (isLonger) {
      film.at = this.film === old ? this.film.at : old.at;
      [this.film, this.target] = [film, film];
      if (isFollowing && !this.slider.playing) this.glide(film.at, film.last, corners, (at) => this.moveTo(at));
      else this.view.adopt(this.boundsNow());
    } else {
      if (isFollowing) film.at = film.last;
      else film.at = old.at;
      const way = new Film([this.film.frozen(), film.frozen()], 0);
      [this.film, this.target, this.polygon, this.chosen] = [way, film, null, null];
      this.glide(0, 1, corners, (at) => { way.at = at; this.moving(); }, () => { this.film = film; this.moving(); });
    }
    if (data.link_zoom) this.tell({ kind: "bounds" });
  }

  glide(from, to, corners, step, done) {
    const wanted = this.boundsNow();
    this.motion.start(GLIDE_MILLISECONDS, (share) => {
      this.view.adopt(corners.map((value, side) => value + (wanted[side] - value) * share));
      step(from + (to - from) * share);
    }, done);
  }

  /** The corners to show: of this map, and of those it is linked with. */
  boundsNow() {
    const own = this.target.bounds;
    if (!this.group || !this.data.link_zoom) return own;
    if (!shownBounds.has(this.group)) shownBounds.set(this.group, new Map());
    shownBounds.get(this.group).set(this, own);
    return groupBounds(this.group, own);
  }

  /** A selection of the server's: shown until the reader draws or clears one. */
  takeChosen(chosen) {
    if (this.polygon) this.sendSoon("selection", null);
    this.polygon = null;
    this.chosen = chosen;
    this.keepLasso();
  }

  newPoints() {
    if (!this.data.still) {
      try {
        return new PointsGL(this.part("points"), () => this.redraw());
      } catch {
        this.fallback = "This browser has no WebGL2: the map is a still picture, without zoom and lasso.";
      }
    }
    const canvas = document.createElement("canvas"); // one that was asked for WebGL2 cannot become a 2-D one
    canvas.className = "points";
    this.part("points").replaceWith(canvas);
    return new Points2D(canvas);
  }

  nameClasses(anew) {
    const { names } = this.data, sizes = new Uint32Array(names.length + 1);
    for (const category of this.categories) sizes[category]++;
    const entries = names.map((name, category) => ({ name, category, count: sizes[category] })).filter(({ count }) => count);
    if (this.data.by_size) entries.sort((a, b) => b.count - a.count || a.category - b.category);
    if (sizes[names.length]) entries.push({ name: this.data.without, category: names.length, count: sizes[names.length] });
    this.legend.set(entries, anew);
    if (anew) this.names.set([]); // those of the classes before may have no colour any more
    this.painted = null; // the colours of these classes are not the ones in use
  }

  /** Names where they belong now: of the classes in the part shown, or those of this zoom's level. */
  placeNames() {
    const { names, names_on_map: onMap, levels } = this.data, { film, view } = this;
    if (levels.length && onMap) {
      const isThere = film.last - film.at < 0.3;
      return this.names.set((isThere ? levelAt(levels, view.zoom) : []).map(([name, x, y, size]) => ({ name, place: [x, y], size, category: null })));
    }
    const named = onMap ? Math.min(names.length, NAMES_AT_MOST) : 0;
    const places = named ? densestPlaces(film.places, this.categories, named, view.zoom > 1.2 ? view.shown : film.bounds) : [];
    this.names.set(places.map((found, category) => ({ name: names[category], category, ...found })).filter(({ size }) => size));
  }

  /** Lines of density around the points that are shown and not dimmed, in the part shown. */
  placeContours() {
    if (!this.data.contours) { this.contours = null; return; }
    const { film, view, states } = this, own = film.bounds, [left, bottom, right, top] = view.shown;
    const part = [Math.max(left, own[0]), Math.max(bottom, own[1]), Math.min(right, own[2]), Math.min(top, own[3])];
    this.contours = part[0] < part[2] && part[1] < part[3] ? contoursOf(film.places, part, (point) => states[point] >= BEHIND) : null;
  }

  /** Colours for the theme now in use. */
  paint() {
    if (!this.data) return;
    const theme = { ...readTheme(this.root), size: this.data.size }, painted = JSON.stringify([theme, this.data.light, this.data.dark]);
    if (painted === this.painted) return;
    if (this.theme && theme.size !== this.theme.size) { this.names.forgetSizes(); this.rest(); }
    [this.theme, this.painted] = [theme, painted];
    const colours = this.theme.dark ? this.data.dark : this.data.light;
    this.palette = colours.map(parseColour);
    this.root.style.setProperty("--quiet", css(this.theme.quiet));
    this.points.setPalette(this.palette);
    this.names.paint(this.palette, this.theme);
    this.part("bar-colours").style.background = `linear-gradient(to right, ${this.palette.slice(0, -1).map(css).join(", ")})`;
    this.legend.paint(this.palette);
    this.redraw();
  }

  // ------------------------------------------------------------------ what is shown

  resize() {
    this.frame.style.height = this.isWhole() ? "" : `${Math.min(this.height ?? 300, Math.max(this.frame.clientWidth * 1.1, Math.min(this.height ?? 300, 300)))}px`; // narrow, then lower
    const density = Math.min(window.devicePixelRatio || 1, 2), { clientWidth, clientHeight } = this.frame;
    const size = [clientWidth, clientHeight, density].join();
    if (size === this.size && this.sized === this.part("points")) return;
    [this.size, this.sized] = [size, this.part("points")];
    [this.view.width, this.view.height] = [Math.max(clientWidth, 1), Math.max(clientHeight, 1)];
    for (const canvas of [this.part("points"), this.marks])
      [canvas.width, canvas.height] = [Math.round(this.view.width * density), Math.round(this.view.height * density)];
    this.redraw();
  }

  /** `points`: whether they too, not only what lies over them, are drawn anew. */
  redraw(points = true) {
    this.stale ||= points;
    this.drawing ??= requestAnimationFrame(() => { this.drawing = null; this.draw(); });
  }

  draw() {
    if (!this.theme || this.closed || !this.film) return;
    this.look = pointLook(this.view, this.film.count, this.theme.size);
    if (this.stale) this.points.draw(this.view, this.look, this.theme, this.film);
    this.stale = false;
    const own = this.polygon?.at === this.target.at ? this.polygon?.path : null;
    drawMarks(this.marks, this.view, this.theme, this.path ?? own?.map(([x, y]) => this.view.toPixels(x, y)), this.rings(), Math.max(this.look.diameter * 0.9, 5.5 * this.theme.size), this.isMoving ? null : this.contours);
    const marked = drawPlaces(this.marks, this.view, this.theme, this.data.marks, this.target);
    if (this.isMoving) return;
    const taken = [...boxesOf(this.frame, ["title", "bar", "corner", "tools", "legend", "status"].map(this.part)), ...marked];
    this.names.arrange(this.view, taken, (category) => this.legend.isOn(category));
  }

  /** The slider's place, in frames. */
  moveTo(at) {
    this.target.at = at;
    if (this.slider.at !== at) this.slider.show(at);
    this.tellPlace();
    this.moving();
  }

  /** What is said of the map follows the slider: title, corner, and what is read out. */
  tellPlace() {
    const [title, corner] = toldAt(this.data.told, this.target.at);
    this.write("title", title);
    this.write("corner", corner);
    const named = title && !this.data.alt.includes(title) ? `${title}.` : "";
    this.frame.setAttribute("aria-label", [named, this.data.alt, corner && `${corner}.`, this.still ? "" : KEYS].filter(Boolean).join(" "));
  }

  moving() {
    this.isMoving = true;
    this.grid = null;
    if (this.hovered >= 0) this.setHovered(-1);
    if (this.card.pinned) this.showCard(this.cardPoint, true);
    this.part("names").classList.add("moving");
    this.redraw();
    this.rest(REST);
  }

  /** When nothing has moved for a while. */
  rest(after = 0) {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.isMoving = false;
      if (!this.film || this.closed) return;
      this.placeContours();
      this.placeNames();
      this.part("names").classList.remove("moving");
      this.redraw(false);
    }, after);
  }

  // ------------------------------------------------------------------ what the reader does

  use(tool) {
    const middle = [this.view.width / 2, this.view.height / 2];
    if (tool === "legend") return this.showLegend(!this.legendWanted);
    if (tool === "picture") return this.savePicture();
    if (this.still) return;
    if (tool === "pan" || tool === "lasso") this.setTool(tool);
    else if (tool === "screen") this.toggleScreen();
    else if (tool === "reset") { this.view.reset(); this.viewChanged(); }
    else if (this.view.zoomAt(...middle, tool === "closer" ? KEY_ZOOM : 1 / KEY_ZOOM)) this.viewChanged();
  }

  /** Of numbers: what the colours mean, in place of the legend. */
  showBar(bar) {
    this.part("bar").hidden = !bar;
    if (!bar) return;
    if (this.legendWanted) this.showLegend(false);
    this.write("bar-title", bar.title);
    this.part("bar-ticks").replaceChildren(...bar.ticks.map(([place, text]) => {
      const tick = document.createElement("span");
      tick.textContent = text;
      tick.style.left = `${100 * place}%`;
      return tick;
    }));
  }

  setTool(tool) {
    this.gestures.tool = tool;
    this.marks.classList.toggle("lasso", tool === "lasso");
    for (const name of ["pan", "lasso"]) this.tool(name).setAttribute("aria-pressed", String(name === tool));
  }

  showLegend(wanted) {
    this.legendWanted = wanted;
    this.part("legend").hidden = !wanted;
    this.tool("legend").setAttribute("aria-expanded", String(wanted));
    this.redraw(false);
  }

  key(name, second) {
    if (!this.theme) return false;
    if (name === "Enter") this.pick(this.pointAt(this.view.width / 2, this.view.height / 2, 60), second);
    else if (name === "Escape") this.isWhole() ? this.toggleScreen() : this.clear();
    else if (this.still) return false;
    else if (KEY_MOVES[name]) { this.view.move(...KEY_MOVES[name].map((step) => step * KEY_STEP)); this.viewChanged(); }
    else if (name === "+") this.use("closer");
    else if (name === "-") this.use("farther");
    else if (name === "0") this.use("reset");
    else if (name === "f") this.use("screen");
    else if (name === "l") this.setTool(this.gestures.tool === "lasso" ? "pan" : "lasso");
    else return false;
    return true;
  }

  viewChanged() {
    if (!this.card.pinned) this.setHovered(-1);
    if (this.data?.link_zoom) this.tell({ kind: "view", middle: this.view.middle, zoom: this.view.zoom });
    this.viewMoved();
  }

  viewMoved() {
    if (this.data?.keeps_view) this.tellView();
    if (this.card.pinned) this.showCard(this.cardPoint, true);
    this.redraw();
    if (!this.isMoving) this.rest(REST);
  }

  /** The part shown, once it rests; nothing where all is shown, as at first. */
  tellView() {
    const shown = this.view.zoom === 1 ? null : [...this.view.middle, this.view.zoom], said = JSON.stringify(shown);
    if (said === (this.toldView ?? JSON.stringify(this.data.view))) return;
    this.toldView = said;
    this.sendSoon("view", shown, VIEW_SOON);
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
    clearTimeout(this.resting);
    this.motion.stop();
    this.slider.pause();
    for (const { timer } of Object.values(this.sendLater)) clearTimeout(timer);
    this.leave();
    this.resizing.disconnect();
    this.gestures.close();
    this.points?.close();
  }
}

Object.assign(MapView.prototype, Choosing, Picking, Linking, Showing, Saving);

/** The points with a 1.  -> Array */
function pointsIn(bits) {
  const points = [];
  bits?.forEach((one, point) => one && points.push(point));
  return points;
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
