// A map that fills the screen, with its legend; Escape brings the page back.

const Showing = {
  /** Whether it does now. */
  isWhole() {
    return this.root.getRootNode().fullscreenElement === this.root;
  },

  toggleScreen() {
    if (this.isWhole()) document.exitFullscreen();
    else this.root.requestFullscreen?.().catch(() => {}); // refused: the page stays as it is
  },

  /** On the whole screen the legend stands open, also of a map whose neighbor has it on the page. */
  screenChanged() {
    const { data } = this, isWhole = this.isWhole();
    if (!data) return;
    if (isWhole) this.legendBefore = this.legendWanted;
    this.tool("legend").hidden = Boolean(data.bar) || (!data.legend && !isWhole);
    this.tool("screen").setAttribute("aria-pressed", String(isWhole));
    this.showLegend(isWhole ? data.names.length > 1 && !data.bar : this.legendBefore);
    this.resize();
    if (this.card.pinned) this.showCard(this.cardPoint, true);
    this.rest();
    this.frame.focus();
  },
};
