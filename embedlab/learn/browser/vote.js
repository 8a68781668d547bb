// A text, its ten nearest train texts and their votes; a typed sentence likewise.

const beginningOf = (corpus, text, count = 12) => Array.from(corpus.whole[text].subarray(0, count), (word) => corpus.words[word]).join(" ") + (corpus.whole[text].length > count ? " …" : "");

/** The ten as a list with their votes; `right`: the class of the text, null where nobody knows it. */
function showVote(place, corpus, { nearest, votes, winner }, right) {
  place.replaceChildren();
  const ranked = votes.map((count, number) => [count, number]).filter(([count]) => count).sort((one, other) => other[0] - one[0] || one[1] - other[1]);
  const said = ranked.map(([count, number]) => `${count} ${corpus.classes[number][0]}`).join(", ");
  const verdict = right === null ? `It counts as ${corpus.classes[winner][0]}.` : winner === right ? `It counts as ${corpus.classes[winner][0]}: right.` : `It counts as ${corpus.classes[winner][0]}: wrong, it is ${corpus.classes[right][0]}.`;
  made(place, "p", { class: "votes", role: "status" }, `${said}. ${verdict}`);
  const list = made(place, "ol", { class: "neighbors" });
  for (const { text, cosine } of nearest) {
    const item = made(list, "li"), [name, light, dark] = corpus.classes[corpus.labels[text]], dot = made(item, "span", { class: "dot" });
    dot.style.background = matchMedia("(prefers-color-scheme: dark)").matches ? dark : light;
    made(item, "b", {}, name);
    made(item, "span", { class: "words", dir: "auto" }, beginningOf(corpus, text));
    made(item, "span", { class: "cosine" }, cosine.toFixed(2));
  }
}

/** A field whose sentence is embedded and voted on by a trained pocket. */
function typedSentence(place, corpus, pocketOf) {
  const form = made(place, "form", { class: "typed" }), label = made(form, "label", {}, "Type a sentence"), field = made(label, "input", { type: "text", maxlength: 300, placeholder: "a bar chart with two axes" });
  const ask = made(form, "button", { type: "submit" }, "Ask its neighbors"), answer = made(place, "div", { class: "reply" });
  const ready = () => { ask.disabled = !pocketOf(); };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = corpus.wordsOf(field.value), pocket = pocketOf();
    if (!pocket) return;
    if (words.length) return showVote(answer, corpus, pocket.vote(words), null);
    answer.replaceChildren();
    made(answer, "p", { class: "votes", role: "status" }, field.value.trim() ? "None of these words occurs twice in the texts. Try other words." : "Type some words first.");
  });
  ready();
  return { ready };
}

VIEWS.vote = (data, place, { corpus }) => {
  const lane = new Lane(corpus, { views: "sentences", negatives: true, temperature: 0.05, batch: 64, steps: 300 }, 0, "steps", 300), { pocket } = lane, random = new Uniform(7);
  const frame = made(place, "div", { class: "frame" }), head = made(place, "div", { class: "controls" }), own = made(place, "p", { class: "asked" }), answer = made(place, "div", { class: "reply" });
  const map = new PocketMap(frame, corpus, (text) => ask(text));
  const tested = corpus.test.filter((text) => map.placeOf.has(text));
  const another = button(head, "Another text", () => ask(tested[Math.floor(random.next() * tested.length)]), { class: "go" });
  let training = null;
  function ask(text) {
    const vote = pocket.vote(corpus.whole[text]);
    own.replaceChildren();
    made(own, "b", {}, "The text: ");
    made(own, "span", { dir: "auto" }, beginningOf(corpus, text, 18));
    showVote(answer, corpus, vote, corpus.labels[text]);
    map.mark([{ point: map.placeOf.get(text), strong: true }, ...vote.nearest.filter((each) => map.placeOf.has(each.text)).map((each) => ({ point: map.placeOf.get(each.text) }))]);
  }
  if (data.of === "after") {
    another.disabled = true;
    training = new Training([lane], map, (now) => { if (now.hasEnded) { another.disabled = false; ask(tested[0]); typed?.ready(); } });
  } else map.settle(pocket);
  const typed = data.typed ? typedSentence(place, corpus, () => !another.disabled && pocket) : null;
  if (data.of === "before") ask(tested[0]);
  return { end() { training?.end(); map.end(); } };
};

VIEWS.pairs = (data, place, { corpus }) => {
  const random = new Uniform(3), long = [...corpus.whole.keys()].filter((text) => corpus.whole[text].length > 20 && corpus.whole[text].length < 64 && corpus.sentences[text].length > 1);
  const texts = long.length ? long : [...corpus.whole.keys()], strips = made(place, "div", { class: "strips" });
  button(made(place, "div", { class: "controls" }), "Another text", () => show(texts[Math.floor(random.next() * texts.length)]));
  function show(text) {
    strips.replaceChildren();
    strip("the text", corpus.sentences[text].map((part) => [...part]));
    for (const views of data.of) {
      made(strips, "h3", {}, writtenSetting("views", views));
      viewPair(corpus, views, text, random).forEach((words, side) => strip(side ? "second view" : "first view", [[...words]], corpus.sentences[text]));
    }
  }
  /** A strip of words; a word has the color of the sentence it is of. */
  function strip(name, parts, sentences = parts) {
    const row = made(strips, "div", { class: "strip" });
    made(row, "span", { class: "strip-name" }, name);
    const inside = made(row, "span", { class: "strip-words", dir: "auto" }), of = new Map(sentences.flatMap((part, number) => [...part].map((word) => [word, number])).reverse());
    parts.flatMap((part, number) => part.map((word) => [word, parts.length > 1 ? number : of.get(word) ?? 9])).forEach(([word, number]) => made(inside, "span", { class: `word sentence-${number % 4}` }, corpus.words[word]));
  }
  show(texts[0]);
};
