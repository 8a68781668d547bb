// Points on a canvas: one drawn disc a class, stamped where its texts lie.

class Stamps {
  constructor() { this.known = new Map(); }

  /** A disc of this colour and diameter, drawn once. */
  of(colour, diameter, density) {
    const key = `${colour} ${diameter.toFixed(2)} ${density}`;
    if (!this.known.has(key)) {
      if (this.known.size > 4000) this.known.clear();
      const stamp = document.createElement("canvas"), side = Math.ceil((diameter + 2) * density), pen = stamp.getContext("2d");
      stamp.width = stamp.height = side;
      pen.fillStyle = colour;
      pen.beginPath();
      pen.arc(side / 2, side / 2, (diameter * density) / 2, 0, 2 * Math.PI);
      pen.fill();
      this.known.set(key, stamp);
    }
    return this.known.get(key);
  }
}

const stamps = new Stamps();

/** Texts of classes that are off stay as a faint ground. */
function drawPoints(pen, view, shown, isOn, colourOf, quiet, density) {
  const look = pointLook(view, shown.points.length), side = (look.diameter + 2);
  for (const on of [false, true]) {
    pen.globalAlpha = on ? look.opacity : 0.16;
    for (const place of shown.order) {
      const category = categories[shown.points[place]];
      if (isOn(category) !== on) continue;
      const [left, top] = view.toPixels(shown.places[2 * place], shown.places[2 * place + 1]);
      if (left < -9 || top < -9 || left > view.width + 9 || top > view.height + 9) continue;
      const stamp = stamps.of(on ? colourOf(category) : quiet, look.diameter, density);
      pen.drawImage(stamp, left - stamp.width / density / 2, top - stamp.height / density / 2, stamp.width / density, stamp.height / density);
    }
  }
  pen.globalAlpha = 1;
}

/** 0 … count−1 in an order that hides no class under another, the same every time. */
function shuffled(count) {
  const order = Uint32Array.from({ length: count }, (_, place) => place);
  let state = 20240817;
  for (let place = count - 1; place > 0; place--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (place + 1);
    [order[place], order[other]] = [order[other], order[place]];
  }
  return order;
}
