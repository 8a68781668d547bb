// The page's theme as numbers, and colours mixed until they can be read.

function parseColour(text) {
  const hex = text.trim().match(/^#([0-9a-f]{6})/i);
  if (hex) return [0, 2, 4].map((start) => parseInt(hex[1].slice(start, start + 2), 16));
  const numbers = text.match(/[\d.]+/g);
  return numbers && numbers.length >= 3 ? numbers.slice(0, 3).map(Number) : [128, 128, 128];
}

function luminance(colour) {
  const [red, green, blue] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(first, second) {
  const [darker, lighter] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const mixed = (first, second, share) => first.map((value, channel) => Math.round(value + (second[channel] - value) * share));
const css = (colour) => `rgb(${colour.join(" ")})`;

/** The colour, moved towards the ink until it can be read as text on the ground. */
function asInk(colour, ink, ground) {
  const wanted = luminance(ground) < 0.2 ? 7.5 : 4.8; // on a dark ground coloured points shine, and names must outshine them
  for (let share = 0; share < 1; share += 0.08) {
    const candidate = mixed(colour, ink, share);
    if (contrastOf(candidate, ground) > wanted) return candidate;
  }
  return ink;
}

function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (name, otherwise) => parseColour(style.getPropertyValue(name) || otherwise);
  const ground = read("--st-background-color", "#ffffff");
  const ink = read("--st-text-color", "#1b2430");
  return { ground, ink, quiet: mixed(ink, ground, 0.34), accent: read("--st-primary-color", "#1f5fd0"), dark: luminance(ground) < 0.2 };
}
