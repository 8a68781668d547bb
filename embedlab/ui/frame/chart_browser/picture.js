// A chart as a file: what is seen of it, on a solid ground, as PNG (twice as fine as the screen) or SVG.

const PIXELS_EACH = 2; // of the PNG, along each side of one on the page

function savePicture(element, format, filename) {
  const { width, height } = element._fullLayout, ground = colour(getComputedStyle(element), "--st-background-color");
  const layout = { ...element.layout, paper_bgcolor: ground, width, height };
  const file = { format, filename, width, height, scale: format === "png" ? PIXELS_EACH : 1 };
  return window.Plotly.downloadImage({ data: element.data, layout, config: { displayModeBar: false } }, file);
}

/** The button in the corner and the two formats behind it; `asked(format)`: one was chosen. */
function offerPicture(box, asked) {
  const open = box.querySelector(".open"), formats = box.querySelector(".formats");
  const show = (wanted) => {
    formats.hidden = !wanted;
    open.setAttribute("aria-expanded", String(wanted));
  };
  open.onclick = () => show(formats.hidden);
  formats.onclick = ({ target }) => {
    if (!target.dataset.format) return;
    open.focus();
    show(false);
    asked(target.dataset.format);
  };
  box.onkeydown = (event) => { if (event.key === "Escape" && !formats.hidden) { show(false); open.focus(); } };
  box.onfocusout = ({ relatedTarget }) => { if (relatedTarget && !box.contains(relatedTarget)) show(false); };
}
