// Elements as they are made, and a map on a plain canvas: for pages of one file.

/** An element with these attributes and this text, at the end of `parent`. */
function made(parent, name, attributes = {}, text) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function button(parent, text, clicked, attributes = {}) {
  const element = made(parent, "button", { type: "button", ...attributes }, text);
  element.addEventListener("click", clicked);
  return element;
}
