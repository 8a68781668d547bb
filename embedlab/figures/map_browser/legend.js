// The legend that filters: by size, searchable when long; click isolates, shift adds, double click hides.

const SEARCHABLE_FROM = 21;

class Legend {
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    this.list = element.querySelector("ul");
    this.search = element.querySelector("input");
    this.showAll = element.querySelector(".show-all");
    this.isolated = new Set();
    this.gone = new Set();
    this.search.addEventListener("input", () => this.filter());
    this.showAll.addEventListener("click", () => this.apply([], []));
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("dblclick", (event) => this.hide(event.target.closest("li")));
    this.list.addEventListener("keydown", (event) => event.key === "Delete" && this.hide(event.target.closest("li")));
  }

  /** `entries`: {category, name, count}, largest first; `anew`: other classes, so the filter starts over. */
  set(entries, anew) {
    if (anew) [this.isolated, this.gone] = [new Set(), new Set()];
    this.search.hidden = entries.length < SEARCHABLE_FROM;
    this.items = entries.map(({ category, name, count }) => {
      const item = document.createElement("li"), button = document.createElement("button");
      const [dot, label, number] = ["dot", "name", "count"].map((part) => Object.assign(document.createElement("span"), { className: part }));
      button.type = "button";
      label.textContent = button.title = name;
      number.textContent = count.toLocaleString("en");
      button.append(dot, label, number);
      item.append(button);
      item.dataset.category = category;
      return { item, button, dot, name: name.toLowerCase(), category };
    });
    this.list.replaceChildren(...this.items.map(({ item }) => item));
    this.show();
  }

  paint(palette) {
    for (const { dot, category } of this.items ?? []) dot.style.background = css(palette[category]);
  }

  isOn(category) { return !this.gone.has(category) && (this.isolated.size === 0 || this.isolated.has(category)); }
  get isFiltering() { return this.isolated.size > 0 || this.gone.size > 0; }

  clicked(event) {
    const item = event.target.closest("li");
    if (!item) return;
    const category = Number(item.dataset.category), isolated = new Set(this.isolated), gone = new Set(this.gone);
    const onlyThis = isolated.size === 1 && isolated.has(category);
    if (gone.delete(category)) { /* a hidden class comes back */ }
    else if (event.shiftKey || event.ctrlKey || event.metaKey) isolated.delete(category) || isolated.add(category);
    else { isolated.clear(); if (!onlyThis) isolated.add(category); }
    this.apply(isolated, gone);
  }

  hide(item) {
    if (!item) return;
    const category = Number(item.dataset.category);
    this.apply([...this.isolated].filter((other) => other !== category), [...this.gone, category]);
  }

  /** Take over a filter; `told` when it came from a linked map. */
  apply(isolated, gone, told = false) {
    this.isolated = new Set(isolated);
    this.gone = new Set(gone);
    this.show();
    this.changed(told);
  }

  show() {
    this.showAll.hidden = !this.isFiltering;
    for (const { item, button, category } of this.items ?? []) {
      item.classList.toggle("off", !this.isOn(category));
      item.classList.toggle("gone", this.gone.has(category));
      button.setAttribute("aria-pressed", String(this.isolated.has(category)));
    }
  }

  filter() {
    const wanted = this.search.value.trim().toLowerCase();
    for (const { item, name } of this.items) item.hidden = !name.includes(wanted);
  }
}
