// A figure for a projector: its letters, lines, marks, margins and height are all larger by one factor.

const LENGTHS = new Set(["height", "xshift", "yshift", "standoff", "ticklen", "pad_t", "borderwidth", "borderpad", "arrowsize"]);
const LETTERS = 12; // plotly's own size, where a figure says none

function enlarged({ data, layout }, factor) {
  if (factor === 1) return { data, layout };
  const larger = (part, name) => {
    if (Array.isArray(part)) return part.map((each) => larger(each, name));
    if (part === null || typeof part !== "object") return typeof part === "number" && LENGTHS.has(name) ? part * factor : part;
    const times = (value) => (typeof value === "number" ? value * factor : value);
    const found = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, larger(value, key)]));
    if (/font$/.test(name) || name === "marker") found.size &&= Array.isArray(found.size) ? found.size.map(times) : times(found.size);
    if (name === "line") found.width &&= times(found.width);
    if (name === "margin" || name === "pad") for (const side of Object.keys(found)) found[side] = times(found[side]);
    return found;
  };
  const wide = larger(layout, "layout");
  return { data: data.map((trace) => ({ ...trace, ...lookOf(trace, larger) })), layout: { ...wide, font: { size: LETTERS * factor, ...wide.font } } };
}

/** Only how a trace looks: its numbers, in arrays of any size, stay. */
function lookOf(trace, larger) {
  const parts = ["marker", "line", "textfont", "error_y", "error_x", "colorbar"].filter((name) => trace[name]);
  return Object.fromEntries(parts.map((name) => [name, larger(trace[name], name)]));
}
