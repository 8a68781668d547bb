// How large and how opaque points are, so that 300 and 500,000 texts both read as shapes.

/** Diameter in pixels and opacity of a point; `size`: by how much it is larger, for a projector. */
function pointLook(view, count, size = 1) {
  const area = view.width * view.height * 0.5; // about what a map fills of its frame
  const least = (view.width < 350 ? 1.3 : 1.7) * size; // a small picture is looked at from farther away
  const diameter = Math.min(Math.max(Math.sqrt((0.42 * area) / (Math.max(count, 1) * 0.785)) * size, least), 7 * size) * Math.min(Math.max(view.zoom, 0.5) ** 0.38, 4);
  const covered = (count * diameter * diameter * 0.785) / (area * Math.max(view.zoom, 1) ** 2);
  return { diameter: Math.min(diameter, 12 * size), opacity: Math.min(Math.max(0.8 * covered ** -0.4, 0.2), 0.92) };
}
