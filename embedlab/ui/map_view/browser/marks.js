// What lies over the points: the lasso's line and the rings of the hovered and the picked text.

function drawMarks(canvas, view, theme, path, rings, radius) {
  const pen = canvas.getContext("2d"), density = canvas.width / view.width;
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
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
  for (const { at, colour } of rings) {
    pen.beginPath();
    pen.arc(...at, radius, 0, 2 * Math.PI);
    Object.assign(pen, { fillStyle: css(colour), strokeStyle: css(theme.ink), lineWidth: 2 });
    pen.fill();
    pen.stroke();
  }
}

/** The boxes of the visible elements, in pixels of the frame: left, top, right, bottom. */
function boxesOf(frame, elements) {
  const origin = frame.getBoundingClientRect();
  return elements
    .map((element) => element.getBoundingClientRect())
    .filter(({ width }) => width)
    .map(({ left, top, right, bottom }) => [left - origin.left, top - origin.top, right - origin.left, bottom - origin.top]);
}
