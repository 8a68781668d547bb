// The page: words, views, and what belongs together when the bar moves.

const write = (id, text) => { element(id).textContent = text; };
document.title = `${content.title}: replay`;
for (const name of ["title", "corpus", "settings"]) write(name, content[name]);

/** What is said of one distance: verdict, numbers, curve. */
function tell(told) {
  write("verdict", told.verdict);
  write("further", told.further.slice(0, 2).join(" "));
  write("rest", told.further.slice(2).join(" "));
  element("sure").hidden = told.further.length < 3;
  element("numbers").replaceChildren(...told.numbers.map(([name, value, change]) => {
    const group = document.createElement("div");
    made(group, "dt", {}, name);
    const number = made(group, "dd", {}, value);
    if (change) made(number, "span", { class: "change" }, change);
    return group;
  }));
  for (const each of element("distances").children) each.setAttribute("aria-pressed", String(each.value === told.name));
  for (const curve of curves) curve.end();
  curves = makeCurves(told.curve, (step) => { player.pause(); player.go(placeAt(step)); });
}
write("said", content.points === 0 ? "This file contains none of your texts." : content.texts
  ? `This file contains ${numbered(content.points)} texts of the corpus, each truncated at ${content.characters} characters. It downloads nothing.`
  : `This file contains the coordinates and classes of ${numbered(content.points)} texts, but none of the texts. It downloads nothing.`);

function sceneOf(packedPoints, packedFrames, { low, high }) {
  const points = wholeNumbers(packedPoints, 4), ofPoints = Uint16Array.from(points, (point) => categories[point]), box = [...low, ...high];
  const film = new Film(packedFrames.map((packed, id) => ({ id, name: "", whole: wholeNumbers(packed, 2), box })));
  const names = film.frames.map((_, at) => {
    film.at = at;
    return densestPlaces(film.places, ofPoints, content.classes.length, boundsOf(film.places));
  });
  return { points, film, names, categories: ofPoints, placeOf: new Map(Array.from(points, (point, place) => [point, place])) };
}

const scenes = {}, { film, maps } = content;
if (film) scenes.film = sceneOf(film.points, film.frames.map(({ at }) => at), film);
if (maps) scenes.maps = sceneOf(maps.points, [maps.before, maps.after], maps);
const filmSteps = film?.frames.map(({ step }) => step), names = [["film", "Film"], ["before", "Before"], ["after", "After"]].filter(([key]) => (key === "film" ? film : maps));
let showing = film && film.frames.length > 1 ? "film" : maps ? "maps" : film ? "film" : null;

const legend = new Legend(element("legend"), () => map?.filtered()), counts = new Array(content.classes.length + 1).fill(0);
for (const category of categories) counts[category]++;
legend.set(counts.map((count, category) => ({ category, name: content.classes[category]?.[0] ?? "no class", count })).filter(({ count }) => count)
  .sort((a, b) => (a.category === content.classes.length) - (b.category === content.classes.length) || b.count - a.count), true);
element("legend").hidden = content.classes.length === 0;
const map = showing ? new ReplayMap(legend) : null;
let curves = [];
const player = new Player(moved);
for (const told of content.distances) button(element("distances"), told.name, () => { tell(told); moved(player.at); }, { value: told.name });
element("by").hidden = content.distances.length < 2;
tell(content.distances[0]);

/** The step at a place of the bar, and the other way round. */
function stepAt(at) {
  if (showing !== "film") return showing ? at * content.steps : at;
  const first = Math.min(Math.floor(at), filmSteps.length - 1), second = Math.min(first + 1, filmSteps.length - 1);
  return filmSteps[first] + (filmSteps[second] - filmSteps[first]) * (at - first);
}

function placeAt(step) {
  if (showing !== "film") return showing ? step / (content.steps || 1) : step;
  const after = filmSteps.findIndex((each) => each >= step);
  if (after <= 0) return after === 0 ? 0 : filmSteps.length - 1;
  return after - 1 + (step - filmSteps[after - 1]) / (filmSteps[after] - filmSteps[after - 1]);
}

function moved(at) {
  const step = stepAt(at);
  map?.moveTo(at);
  for (const curve of curves) curve.moveTo(step);
  const isMaps = showing === "maps";
  const place = isMaps ? (at === 0 ? "before" : at === 1 ? "after" : `${Math.round(100 * at)} % of the way`) : `step ${numbered(Math.round(step))} of ${numbered(content.steps)}`;
  write("now", place);
  element("scrub").setAttribute("aria-valuetext", place);
  for (const button of element("views").children) button.setAttribute("aria-pressed", String(button.value === (isMaps ? { 0: "before", 1: "after" }[at] : "film")));
  if (!map) return;
  const note = showing === "film" ? film.frames[Math.min(Math.floor(at + 1e-6), filmSteps.length - 1)].note : null;
  element("note").hidden = !note;
  write("note", note ?? "");
  element("canvas").setAttribute("aria-label", `Map of ${numbered(map.scene.points.length)} texts, ${place}.`);
}

function show(key, at) {
  showing = key;
  const isFilm = key === "film";
  map.show(scenes[key]);
  map.look(-1, true);
  const count = numbered(scenes[key].points.length);
  write("caption", isFilm ? `t-SNE, ${count} texts, the same in every frame; each frame continues from the one before`
    : `${maps.title}, ${count} of ${numbered(maps.of)} texts${count === numbered(maps.of) ? "" : ", each class by its share"}; the map after starts from the map before${maps.accuracy && `; ${maps.accuracy}`}`);
  write("from", isFilm ? "Training" : "Before → after");
  element("scrub").setAttribute("aria-label", isFilm ? "Step of the training" : "From the map before to the map after");
  player.set(isFilm ? filmSteps.length - 1 : 1, isFilm ? FRAME_MILLISECONDS : MORPH_MILLISECONDS, at);
}

function glideTo(end) {
  if (showing !== "maps") return show("maps", end);
  if (end === 1 && player.at < 1) return player.play();
  player.pause();
  player.go(end);
}

for (const [key, name] of names) {
  const button = document.createElement("button");
  [button.type, button.value, button.textContent] = ["button", key, name];
  button.addEventListener("click", () => (key === "film" ? show("film", 0) : glideTo(key === "after" ? 1 : 0)));
  element("views").append(button);
}
document.querySelector("main").classList.toggle("without-map", !map);
element("map-section").hidden = !map;
if (map) {
  element("closer").addEventListener("click", () => map.zoom(1.5));
  element("farther").addEventListener("click", () => map.zoom(1 / 1.5));
  element("whole").addEventListener("click", () => map.whole());
  show(showing, 0);
} else {
  element("legend").hidden = true;
  element("bar").hidden = curves.length === 0;
  write("from", "Training");
  player.set(content.steps, 8000 / (content.steps || 1), 0);
}

document.addEventListener("keydown", (event) => {
  const target = event.target, types = target.matches("input[type=search]");
  if (types || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = {
    " ": () => !target.matches("button") && (player.toggle(), true),
    ArrowRight: () => (player.step(1), true), ArrowLeft: () => (player.step(-1), true),
    Home: () => (player.pause(), player.go(0), true), End: () => (player.pause(), player.go(player.last), true),
    "+": () => map && (map.zoom(1.5), true), "-": () => map && (map.zoom(1 / 1.5), true), 0: () => map && (map.whole(), true),
    Escape: () => map && (map.look(-1, true), true),
  };
  if (keys[event.key]?.()) event.preventDefault();
});
window.replay = { player, map, content }; // for tests
