// Play, pause and scrub: one bar moves the map and the cursor of the curves.

const FRAME_MILLISECONDS = 650, MORPH_MILLISECONDS = 1800;

class Player {
  constructor(changed) {
    this.changed = changed;
    this.at = 0;
    this.scrub = element("scrub");
    this.button = element("play");
    this.button.addEventListener("click", () => this.toggle());
    this.scrub.addEventListener("input", () => { this.pause(); this.go(Number(this.scrub.value)); });
  }

  /** `last`: where the bar ends; `duration` of one unit. */
  set(last, duration, at) {
    this.pause();
    [this.last, this.duration] = [last, duration];
    this.scrub.max = last || 1;
    this.go(at);
  }

  go(at) {
    this.at = Math.min(Math.max(at, 0), this.last);
    this.scrub.value = this.at;
    this.changed(this.at);
  }

  step(by) {
    this.pause();
    const unit = this.last > 1 ? 1 : this.last / 10;
    const next = by > 0 ? Math.floor(this.at / unit + 1e-6) + 1 : Math.ceil(this.at / unit - 1e-6) - 1;
    this.go(next * unit);
  }

  toggle() { this.playing ? this.pause() : this.play(); }

  play() {
    if (this.at >= this.last) this.go(0);
    this.mark(true);
    let before = null, place = this.at;
    const tick = (now) => {
      if (!this.playing) return;
      place += before === null ? 0 : (now - before) / this.duration;
      before = now;
      const whole = Math.floor(place), share = place - whole;
      this.go(isStill() ? (this.last > 1 ? whole : Math.round(place)) : whole + share * share * (3 - 2 * share)); // slower where a frame is reached
      if (place >= this.last) { this.go(this.last); this.pause(); } else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() { this.mark(false); }

  mark(playing) {
    this.playing = playing;
    this.button.classList.toggle("playing", playing);
    this.button.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.button.title = `${playing ? "Pause" : "Play"} (space)`;
  }
}
