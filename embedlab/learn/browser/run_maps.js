// Maps of a finished run: two with a bar between them or a film, and four without names until they are told apart.

/** `frames`: {name, places}, `low` and `high`: their corners. */
const filmOf = (frames, { low, high }) => new Film(frames.map(({ name, places }, id) => ({ id, name, whole: wholeNumbers(places, 2), box: [...low, ...high] })), 0);

VIEWS.replay = (data, place) => {
  const frame = made(place, "div", { class: "frame tall" }), head = made(place, "div", { class: "controls" });
  const film = filmOf(data.frames, data), motion = new Motion();
  const map = new LessonMap(frame, { classes: data.classes, categories: wholeNumbers(data.categories, 2), label: "" });
  map.show(film);
  for (const [name, end] of [["Before", 0], ["After", film.last]]) button(head, film.last > 1 ? (end ? "Play" : "Start") : name, () => glide(end));
  const bar = made(head, "input", { type: "range", min: 0, max: film.last, step: "any", value: 0, "aria-label": film.last > 1 ? "Step of the training" : "From the map before to the map after" });
  const now = made(head, "output", {});
  bar.addEventListener("input", () => { motion.stop(); go(Number(bar.value)); });
  function go(at) {
    film.at = at;
    bar.value = at;
    const name = film.share ? `${Math.round(100 * film.at / film.last)} % of the way` : film.from.name;
    now.textContent = name;
    bar.setAttribute("aria-valuetext", name);
    map.canvas.setAttribute("aria-label", `Map of ${numbered(film.count)} texts, ${name}.`);
    map.place();
    map.draw();
  }
  function glide(end) {
    const start = film.at === end && end ? 0 : film.at;
    motion.start(film.last > 1 ? 400 * film.last : 1600, (share) => go(start + (end - start) * share));
  }
  go(0);
  return { end() { motion.stop(); map.end(); } };
};

VIEWS.four = (data, place, { isAnswered }) => {
  const grid = made(place, "div", { class: "four-maps" }), categories = wholeNumbers(data.categories, 2), areNamed = isAnswered || data.right === null;
  const maps = data.maps.map((drawn, at) => {
    const { name, numbers, is_text: isText } = drawn, letter = LETTERS[at], cell = made(grid, "div", { class: "cell" }), head = made(cell, "p", { class: "cell-name" });
    const title = areNamed ? `: ${name}, ${numbers} of neighbors kept.` : ".", frame = made(cell, "div", { class: "frame" });
    made(head, "b", {}, letter);
    if (areNamed) made(head, "span", {}, ` ${name}: ${numbers} of neighbors kept`);
    const map = new LessonMap(frame, { classes: data.classes, categories, label: `Map ${letter}${title}`, named: false, colored: areNamed && isText });
    map.show(filmOf([drawn], drawn));
    return map;
  });
  return { end() { for (const map of maps) map.end(); } };
};
