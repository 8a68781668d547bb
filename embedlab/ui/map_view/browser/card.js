// The card with a text: follows the pointer, or stays where it was clicked; texts are fetched by row and kept.

const REST_MILLISECONDS = 40, TEXTS_KEPT = 400;

class Card {
  constructor(element, closed) {
    this.element = element;
    this.part = (name) => element.querySelector(`.${name}`);
    this.texts = new Map();
    this.part("close").addEventListener("click", closed);
    element.addEventListener("pointerdown", (event) => event.stopPropagation());
    element.addEventListener("wheel", (event) => event.stopPropagation());
  }

  /** `source`: {corpus, token} or null when there are no texts to show. */
  show({ row, label, colour, at, frame, source, pinned }) {
    this.row = row;
    this.pinned = pinned;
    this.at = at;
    this.frame = frame;
    this.element.hidden = false;
    this.element.classList.toggle("pinned", pinned);
    this.part("close").hidden = !pinned;
    this.part("dot").style.background = colour;
    this.part("label").textContent = label;
    const known = this.texts.get(`${source?.corpus}/${row}`);
    this.write(source ? (known ?? { text: "…" }) : { text: "" });
    clearTimeout(this.waiting);
    if (source && !known) this.waiting = setTimeout(() => this.fetch(row, source), pinned ? 0 : REST_MILLISECONDS);
  }

  hide() {
    clearTimeout(this.waiting);
    this.row = null;
    this.pinned = false;
    this.element.hidden = true;
  }

  async fetch(row, source) {
    const address = new URL("data/text", document.baseURI);
    address.search = new URLSearchParams({ corpus: source.corpus, row });
    let found;
    try {
      const answer = await fetch(address, { headers: { "X-Embedlab-Token": source.token } });
      found = answer.ok ? JSON.parse(await answer.text()) : { text: "This text cannot be shown now. Reload the page." };
      if (answer.ok) this.texts.set(`${source.corpus}/${row}`, found);
    } catch {
      found = { text: "The app does not answer. Start it again; nothing is lost." };
    }
    if (this.texts.size > TEXTS_KEPT) this.texts.delete(this.texts.keys().next().value);
    if (this.row === row) this.write(found);
  }

  write({ title = "", text = "" }) {
    this.part("card-title").textContent = title;
    this.part("card-title").hidden = !title;
    this.part("card-text").textContent = text;
    this.part("card-text").hidden = !text;
    const [left, top] = this.at, { width, height } = this.frame, gap = 14;
    const own = [this.element.offsetWidth, this.element.offsetHeight];
    const x = left + gap + own[0] < width ? left + gap : Math.max(left - gap - own[0], 6);
    const y = Math.min(Math.max(top - own[1] / 3, 6), Math.max(height - own[1] - 6, 6));
    this.element.style.transform = `translate(${Math.min(x, Math.max(width - own[0] - 6, 6))}px, ${y}px)`;
  }
}
