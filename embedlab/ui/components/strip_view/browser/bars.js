// A bar for each value of a column, the largest first; clicking lights some and dims the others.

class Bars {
  constructor(place, brushed) {
    this.place = document.createElement("div");
    this.place.className = "bars";
    this.brushed = brushed;
    place.replaceChildren(this.place);
    this.place.addEventListener("click", (event) => this.clicked(event.target.closest("button")));
    this.place.addEventListener("dblclick", () => this.clear());
    this.place.addEventListener("keydown", (event) => this.key(event));
  }

  set(data, bins) {
    this.chosen = new Set(bins);
    const { counts, names, light, dark } = data, most = Math.max(...counts, 1);
    const isDark = getComputedStyle(this.place).colorScheme === "dark" || isDarkGround(this.place);
    const shades = isDark ? dark : light;
    this.place.style.maxHeight = `${data.height}px`;
    const order = names.map((_, bin) => bin).filter((bin) => counts[bin]).sort((a, b) => counts[b] - counts[a] || a - b);
    const known = JSON.stringify([names, counts, shades]);
    if (known !== this.known) this.buttons = order.map((bin) => {
      const button = document.createElement("button"), [name, count, length, own] = ["name", "count", "length", "own"].map((part) => Object.assign(document.createElement("span"), { className: part }));
      button.type = "button";
      button.dataset.bin = bin;
      name.textContent = button.title = names[bin];
      count.textContent = counts[bin].toLocaleString("en");
      length.style.width = `${Math.max((100 * counts[bin]) / most, 1)}%`;
      if (shades[bin]) own.style.background = shades[bin];
      length.append(own);
      button.append(name, count, length);
      return button;
    });
    if (known !== this.known) this.place.replaceChildren(...this.buttons);
    [this.known, this.counts] = [known, counts];
    this.show();
  }

  /** `held`: of each value so many are held by the lasso and other strips, or null. */
  hold(held) {
    for (const button of this.buttons) {
      const bin = Number(button.dataset.bin), number = (held ?? this.counts)[bin];
      button.querySelector(".count").textContent = number.toLocaleString("en");
      button.querySelector(".own").style.width = `${(100 * number) / this.counts[bin]}%`;
      button.classList.toggle("none", number === 0);
    }
  }

  show() {
    this.place.classList.toggle("brushed", this.chosen.size > 0);
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(this.chosen.has(Number(button.dataset.bin))));
  }

  clicked(button) {
    if (!button) return;
    const bin = Number(button.dataset.bin);
    this.chosen.delete(bin) || this.chosen.add(bin);
    this.show();
    this.brushed([...this.chosen].sort((a, b) => a - b));
  }

  clear() {
    this.chosen.clear();
    this.show();
    this.brushed([]);
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], at = this.buttons.indexOf(event.target);
    if (event.key === "Escape") { event.preventDefault(); return this.clear(); }
    if (!step || at < 0) return;
    event.preventDefault();
    const next = this.buttons[at + step];
    next?.focus();
    if (event.shiftKey && next && !this.chosen.has(Number(next.dataset.bin))) this.clicked(next);
  }

  close() {}
}

function isDarkGround(element) {
  const ground = getComputedStyle(element).getPropertyValue("--st-background-color").trim().match(/^#(..)(..)(..)/);
  return Boolean(ground) && ground.slice(1).reduce((sum, part) => sum + parseInt(part, 16), 0) < 384;
}
