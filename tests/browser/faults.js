() => {
  const main = document.querySelector('[data-testid="stMain"]');
  const isSeen = (e) => e.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true });
  const box = (e) => e.getBoundingClientRect();
  const visible = (e) => { // what those that scroll it leave of its box
    let { left, top, right, bottom } = box(e);
    for (let up = e.parentElement; up && up !== main; up = up.parentElement) {
      if (getComputedStyle(up).overflowY === "visible") continue;
      const b = box(up);
      [left, top, right, bottom] = [Math.max(left, b.left), Math.max(top, b.top), Math.min(right, b.right), Math.min(bottom, b.bottom)];
    }
    return { left, top, right, bottom };
  };
  const said = (e) => (e.innerText || e.getAttribute("aria-label") || e.tagName).trim().replace(/\s+/g, " ").slice(0, 40);
  const deep = (selector, root = main) => [...root.querySelectorAll(selector), // within components too
    ...[...root.querySelectorAll("*")].flatMap((e) => (e.shadowRoot ? deep(selector, e.shadowRoot) : []))];
  const faults = [];

  // tracebacks, and components that ended in an error
  if (document.querySelector('[data-testid="stException"]')) faults.push("a traceback");
  for (const words of ["Traceback", "BidiComponent Error"]) if (main.innerText.includes(words)) faults.push(`says ${words}`);

  // two components over each other
  const parts = [...main.querySelectorAll('[data-testid="stElementContainer"]')].filter((e) => isSeen(e) && box(e).height > 2 && box(e).width > 2);
  for (let i = 0; i < parts.length; i++) for (let j = i + 1; j < parts.length; j++) {
    if (parts[i].contains(parts[j]) || parts[j].contains(parts[i])) continue;
    const a = visible(parts[i]), b = visible(parts[j]);
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 4 && high > 4) faults.push(`“${said(parts[i])}” lies over “${said(parts[j])}”`);
  }

  // a component that sticks out of the page
  const right = box(main).right + 1;
  for (const part of parts) if (box(part).right > right) faults.push(`“${said(part)}” is wider than the page`);

  // text that its box cuts off without saying so
  for (const e of main.querySelectorAll('button, label, p, h1, h2, h3, summary, [data-testid="stMetricValue"]')) {
    if (!isSeen(e) || !e.innerText || e.scrollWidth <= e.clientWidth + 1 || e.clientWidth === 0) continue;
    const style = getComputedStyle(e);
    if (style.overflowX === "visible" && e.tagName !== "BUTTON") continue;
    faults.push(`“${said(e)}” is wider than its box`);
  }

  // plots without a mark
  for (const e of deep(".chart")) {
    if (!isSeen(e)) continue;
    const marks = e.querySelectorAll(".trace, .heatmaplayer image, .barlayer path, .shapelayer path, .scatterlayer path").length;
    if (!marks) faults.push(`an empty plot: “${(e.getAttribute("aria-label") || "").slice(0, 60)}”`);
    if (!(e.getAttribute("aria-label") || "").trim()) faults.push("a plot without words for those who cannot see it");
    const letters = [...e.querySelectorAll(".main-svg text")].filter((text) => text.textContent.trim() && isSeen(text) && box(text).width > 0);
    const upright = letters.filter((text) => /rotate\((?:0|-?90)\b|^(?!.*rotate)/.test(text.getAttribute("transform") || ""));
    for (let i = 0; i < upright.length; i++) for (let j = i + 1; j < upright.length; j++) {
      const a = box(upright[i]), b = box(upright[j]);
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 3 && high > 5) faults.push(`in a plot “${upright[i].textContent.slice(0, 30)}” lies over “${upright[j].textContent.slice(0, 30)}”`);
    }
  }

  for (const e of deep(".map .frame")) {
    if (!isSeen(e)) continue;
    if (box(e).height < 50 || e.querySelector(".status.waiting")) faults.push("a map without its points");
    if (!(e.getAttribute("aria-label") || "").trim()) faults.push("a map without words for those who cannot see it");
  }

  // what stands on the first screen: a switch is one control, parts of a control are none
  const onScreen = (e) => isSeen(e) && box(e).bottom > 0 && box(e).top < innerHeight && box(e).width > 1;
  const isPart = (e) => /^(Help|Open|Clear|Remove|Decrement|Increment)/.test(e.getAttribute("aria-label") || "");
  const controls = new Set();
  for (const e of deep('button, input, textarea, summary'))
    if (onScreen(e) && !isPart(e)) controls.add(e.closest('[data-testid="stButtonGroup"]') ?? e);
  let words = 0;
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode());) {
    const e = text.parentElement;
    if (!e || e.closest("style, script, svg, .katex-mathml, table") || !onScreen(e)) continue;
    words += text.textContent.split(/\s+/).filter((word) => /[A-Za-z]/.test(word)).length;
  }
  return { faults, controls: controls.size, words, shift: window.shifts ?? 0 };
}
