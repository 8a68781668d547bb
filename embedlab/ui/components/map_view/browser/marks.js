// What lies over the points: the lasso's line, the rings of the hovered and the picked text, and named places.

function drawMarks(canvas, view, theme, path, rings, radius, contours) {
  const pen = canvas.getContext("2d"), density = canvas.width / view.width;
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  if (contours) drawContours(canvas, view, theme, contours);
  if (path?.length > 1) {
    pen.beginPath();
    path.forEach(([left, top]) => pen.lineTo(left, top));
    pen.closePath();
    pen.fillStyle = pen.strokeStyle = css(theme.accent);
    pen.globalAlpha = 0.07;
    pen.fill("evenodd");
    pen.globalAlpha = 1;
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 4]);
    pen.stroke();
    pen.setLineDash([]);
  }
  for (const { at, colour, number } of rings) {
    pen.beginPath();
    pen.arc(...at, number ? Math.max(radius, 9 * theme.size) : radius, 0, 2 * Math.PI);
    Object.assign(pen, { fillStyle: css(number ? theme.ground : colour), strokeStyle: css(theme.ink), lineWidth: 2 });
    pen.fill();
    pen.stroke();
    if (!number) continue;
    Object.assign(pen, { fillStyle: css(theme.ink), font: `700 ${12 * theme.size}px ${getComputedStyle(canvas).fontFamily}`, textAlign: "center", textBaseline: "middle" });
    pen.fillText(number, at[0], at[1] + 0.5);
  }
}

/** Where a mark is with the slider at `at`, and how visible: one with a single place belongs to the last frame. */
function placedMark([name, x, y], { at, last }) {
  if (!Array.isArray(x)) return { name, x, y, alpha: Math.max(0, 1 - 3 * (last - at)) };
  const from = Math.min(Math.floor(at), x.length - 1), to = Math.min(from + 1, x.length - 1), share = at - Math.floor(at);
  return { name, x: x[from] + (x[to] - x[from]) * share, y: y[from] + (y[to] - y[from]) * share, alpha: 1 };
}

/** Marked places: a target with its name beside it, or, without a name, a dot; the boxes of the names. */
function drawPlaces(canvas, view, theme, places, film) {
  const pen = canvas.getContext("2d"), boxes = [], [gap, half] = [15, 11 * theme.size];
  pen.textAlign = "left";
  pen.font = `600 ${14 * theme.size}px ${getComputedStyle(canvas).fontFamily}`;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  const circle = (left, top, radius, line, colour, filled) => {
    pen.beginPath();
    pen.arc(left, top, radius, 0, 2 * Math.PI);
    Object.assign(pen, { strokeStyle: css(colour), fillStyle: css(theme.accent), lineWidth: line });
    pen.stroke();
    if (filled) pen.fill();
  };
  for (const { name, x, y, alpha } of places.map((place) => placedMark(place, film))) {
    if (!alpha) continue;
    pen.globalAlpha = alpha;
    const [left, top] = view.toPixels(x, y), width = pen.measureText(name).width;
    if (!name) { circle(left, top, 4, 3, theme.ground, true); continue; }
    circle(left, top, 9, 5, theme.ground);
    circle(left, top, 9, 2.5, theme.accent);
    circle(left, top, 3, 4, theme.ground, true);
    const start = left + gap + width < view.width - 4 ? left + gap : left - gap - width;
    Object.assign(pen, { strokeStyle: css(theme.ground), fillStyle: css(theme.ink), lineWidth: 4 });
    pen.strokeText(name, start, top);
    pen.fillText(name, start, top);
    boxes.push([start - 4, top - half, start + width + 4, top + half], [left - half, top - half, left + half, top + half]);
  }
  pen.globalAlpha = 1;
  return boxes;
}

/** The boxes of the visible elements, in pixels of the frame: left, top, right, bottom. */
function boxesOf(frame, elements) {
  const origin = frame.getBoundingClientRect();
  return elements
    .map((element) => element.getBoundingClientRect())
    .filter(({ width }) => width)
    .map(({ left, top, right, bottom }) => [left - origin.left, top - origin.top, right - origin.left, bottom - origin.top]);
}
