// The card with a text: follows the pointer, or stays where it was clicked; texts are fetched by row and kept.

const REST_MILLISECONDS = 40, TEXTS_KEPT = 400;
const CARD_EDGE = 6; // pixels that are left free along the frame
const between = (least, value, most) => Math.max(Math.min(value, most), least);

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
  show({ row, label, colour, at, radius, frame, source, pinned }) {
    this.row = row;
    this.pinned = pinned;
    this.at = at;
    this.radius = radius;
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
    this.place();
  }

  /** Beside the point, or below or above it, wherever it has room in the frame; where it has none it is made smaller. */
  place() {
    const { style } = this.element, { width, height } = this.frame, gap = this.radius + 6;
    const [left, top] = [between(0, this.at[0], width), between(0, this.at[1], height)];
    const [across, down] = [width - 2 * CARD_EDGE, height - 2 * CARD_EDGE];
    const room = { right: width - CARD_EDGE - left - gap, left: left - gap - CARD_EDGE, below: height - CARD_EDGE - top - gap, above: top - gap - CARD_EDGE };
    const size = () => [this.element.offsetWidth, this.element.offsetHeight];
    [style.maxWidth, style.maxHeight] = ["", `${down}px`];
    let [wide, high] = size();
    const needs = { right: wide, left: wide, below: high, above: high };
    let side = Object.keys(room).find((each) => needs[each] <= room[each]);
    if (!side) {
      const area = { right: room.right * down, left: room.left * down, below: room.below * across, above: room.above * across };
      side = Object.keys(area).reduce((best, each) => (area[each] > area[best] ? each : best));
      style[side === "right" || side === "left" ? "maxWidth" : "maxHeight"] = `${Math.max(room[side], 0)}px`;
      [wide, high] = size();
    }
    const beside = side === "right" || side === "left";
    const x = beside ? (side === "right" ? left + gap : left - gap - wide) : between(CARD_EDGE, left - wide / 2, width - wide - CARD_EDGE);
    const y = beside ? between(CARD_EDGE, top - high / 3, height - high - CARD_EDGE) : side === "below" ? top + gap : top - gap - high;
    style.transform = `translate(${x}px, ${y}px)`;
  }
}
