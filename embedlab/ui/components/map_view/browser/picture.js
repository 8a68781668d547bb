// The map as a PNG, as it is seen now: points, marks, names, title, corner, the legend where it is open, and the caption.

const PIXELS_EACH = 2, CAPTION_HEIGHT = 30, CAPTION_LINE = 1.35;

const Saving = {
  savePicture() {
    if (!this.theme || !this.film) return;
    const name = (this.part("title").textContent || "map").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
    this.pictured().toBlob((blob) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${name || "map"}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
  },

  /** A canvas twice as fine as the page. */
  pictured() {
    const { width, height } = this.view, caption = this.part("caption"), whole = document.createElement("canvas"), pen = whole.getContext("2d");
    const lines = caption.hidden ? [] : wrapped(fontOf(pen, caption), caption.textContent, width - 20);
    const line = parseFloat(getComputedStyle(caption).fontSize) * CAPTION_LINE, below = lines.length ? CAPTION_HEIGHT - line + lines.length * line : 0;
    [whole.width, whole.height] = [width * PIXELS_EACH, (height + below) * PIXELS_EACH].map(Math.round);
    pen.fillStyle = css(this.theme.ground);
    pen.fillRect(0, 0, whole.width, whole.height);
    for (const canvas of this.finely()) pen.drawImage(canvas, 0, 0);
    this.size = null;
    this.resize(); // as fine as the screen again
    pen.scale(PIXELS_EACH, PIXELS_EACH);
    const origin = this.frame.getBoundingClientRect(), at = [origin.left + this.frame.clientLeft, origin.top + this.frame.clientTop];
    for (const { label } of this.names.shown) if (label.style.opacity === "1") writeOut(pen, label, at, { halo: css(this.theme.ground) });
    for (const name of ["title", "corner"]) if (!this.part(name).hidden) writeOut(pen, this.part(name), at, { ground: css(this.theme.ground) });
    if (!this.part("legend").hidden) this.drawLegend(pen, at);
    if (!this.part("bar").hidden) this.drawBar(pen, at);
    Object.assign(fontOf(pen, caption), { fillStyle: css(this.theme.quiet), textBaseline: "top", textAlign: "left" });
    lines.forEach((words, index) => pen.fillText(words, 10, height + 9 + index * line));
    return whole;
  },

  /** Points and marks drawn with the picture's pixels; to be copied before the browser shows the next frame. */
  finely() {
    const canvases = [this.part("points"), this.marks];
    for (const canvas of canvases) [canvas.width, canvas.height] = [this.view.width, this.view.height].map((side) => Math.round(side * PIXELS_EACH));
    this.stale = true;
    this.draw();
    return canvases;
  },

  drawBar(pen, at) {
    const ground = css(this.theme.ground), [left, top, width, height] = boxAt(this.part("bar-colours"), at);
    const colours = pen.createLinearGradient(left, 0, left + width, 0), shades = this.palette.slice(0, -1);
    shades.forEach((shade, step) => colours.addColorStop(step / Math.max(shades.length - 1, 1), css(shade)));
    pen.fillStyle = colours;
    pen.fillRect(left, top, width, height);
    for (const part of [this.part("bar-title"), ...this.part("bar-ticks").children]) writeOut(pen, part, at, { ground });
  },

  drawLegend(pen, at) {
    const legend = this.part("legend"), list = boxAt(legend.querySelector("ul"), at), [left, top, width, height] = boxAt(legend, at);
    const shown = [...legend.querySelectorAll("li:not([hidden])")].map((item) => [item, boxAt(item, at)]);
    const inside = shown.filter(([, box]) => box[1] >= list[1] - 1 && box[1] + box[3] <= list[1] + list[3] + 1);
    Object.assign(pen, { fillStyle: css(this.theme.ground), strokeStyle: css(mixed(this.theme.ground, this.theme.ink, 0.15)), lineWidth: 1 });
    pen.beginPath();
    pen.roundRect(left, top, width, Math.min(height, Math.max(0, ...inside.map(([, box]) => box[1] + box[3])) - top + 6), 7);
    pen.fill();
    pen.stroke();
    for (const [item] of inside) {
      pen.globalAlpha = Number(getComputedStyle(item).opacity);
      const [x, y, wide, high] = boxAt(item.querySelector(".dot"), at);
      pen.fillStyle = item.querySelector(".dot").style.background;
      pen.beginPath();
      pen.arc(x + wide / 2, y + high / 2, wide / 2, 0, 2 * Math.PI);
      pen.fill();
      for (const part of [".name", ".count"]) writeOut(pen, item.querySelector(part), at, {});
      pen.globalAlpha = 1;
    }
  },
};

/** left, top, width and height of an element, from that corner. */
function boxAt(element, [left, top]) {
  const box = element.getBoundingClientRect();
  return [box.left - left, box.top - top, box.width, box.height];
}

/** The pen with the element's letters. */
function fontOf(pen, element) {
  const { fontWeight, fontSize, fontFamily, fontVariantCaps } = getComputedStyle(element);
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  if ("fontVariantCaps" in pen) pen.fontVariantCaps = fontVariantCaps;
  return pen;
}

/** The element's words where they stand, cut where it ends; over a ground, or with a halo. */
function writeOut(pen, element, at, { ground, halo }) {
  const [left, top, width, height] = boxAt(element, at), style = getComputedStyle(element), start = parseFloat(style.paddingLeft);
  pen.save();
  Object.assign(fontOf(pen, element), { textBaseline: "middle", textAlign: "left", lineJoin: "round" });
  if (ground) {
    pen.fillStyle = ground;
    pen.globalAlpha *= 0.82;
    pen.fillRect(left, top, width, height);
    pen.globalAlpha /= 0.82;
  }
  const words = cut(pen, element.textContent, width - 2 * start);
  if (halo) {
    Object.assign(pen, { strokeStyle: halo, lineWidth: parseFloat(style.webkitTextStrokeWidth) || 4.5 });
    pen.strokeText(words, left + start, top + height / 2);
  }
  pen.fillStyle = style.color;
  pen.fillText(words, left + start, top + height / 2);
  pen.restore();
}

/** As much of the text as is so wide. */
function cut(pen, text, width) {
  if (pen.measureText(text).width <= width + 1.5) return text;
  let end = text.length;
  while (end && pen.measureText(`${text.slice(0, end)}…`).width > width) end--;
  return `${text.slice(0, end)}…`;
}

/** The text in lines of at most that width. */
function wrapped(pen, text, width) {
  return text.split(" ").reduce((lines, word) => {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && pen.measureText(longer).width <= width) return [...lines.slice(0, -1), longer];
    return [...lines, word];
  }, []);
}
