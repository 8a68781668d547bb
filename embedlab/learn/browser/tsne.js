// A t-SNE that goes on while what it draws still changes: neighbors are found anew now and then, places are kept.

const NEAREST = 15, RATE = 40, MOMENTUM = 0.7;

class LiveMap {
  constructor(count, seed = 1) {
    const random = new Uniform(seed);
    [this.count, this.next] = [count, 0];
    this.places = Float32Array.from({ length: 2 * count }, () => (random.next() - 0.5) * 2);
    this.speed = new Float32Array(2 * count);
  }

  /** The nearest texts attract a text alike, others not at all: found anew for `some` texts.  rows: (texts × DIMENSIONS) unit vectors */
  look(rows, some = this.count) {
    const { count } = this, distances = new Float64Array(count);
    const near = (this.near ??= new Float32Array(count * count)), shares = (this.shares ??= new Float32Array(count * count));
    for (let turn = 0; turn < some; turn++, this.next = (this.next + 1) % count) {
      const i = this.next;
      for (let j = 0; j < count; j++) {
        let dot = 0;
        for (let d = 0, x = i * DIMENSIONS, y = j * DIMENSIONS; d < DIMENSIONS; d++) dot += rows[x + d] * rows[y + d];
        distances[j] = 2 - 2 * dot; // squared, of unit vectors
      }
      const farthest = Float64Array.from(distances).sort()[NEAREST]; // the first is the text itself
      for (let j = 0; j < count; j++) near[i * count + j] = j !== i && distances[j] <= farthest ? 1 / NEAREST : 0;
    }
    for (let i = 0; i < count; i++) for (let j = 0; j < count; j++) shares[i * count + j] = (near[i * count + j] + near[j * count + i]) / (2 * count);
  }

  /** One step of the places; `exaggeration`: how much attraction is raised. */
  move(exaggeration = 2) {
    const { count, places, speed, shares } = this, force = new Float64Array(2 * count), near = new Float32Array(count * count);
    let total = 0;
    for (let i = 0; i < count; i++)
      for (let j = i + 1; j < count; j++) {
        const q = 1 / (1 + (places[2 * i] - places[2 * j]) ** 2 + (places[2 * i + 1] - places[2 * j + 1]) ** 2);
        near[i * count + j] = q;
        total += 2 * q;
      }
    for (let i = 0; i < count; i++)
      for (let j = i + 1; j < count; j++) {
        const q = near[i * count + j], pull = (exaggeration * shares[i * count + j] - q / total) * q;
        const x = pull * (places[2 * i] - places[2 * j]), y = pull * (places[2 * i + 1] - places[2 * j + 1]);
        force[2 * i] -= x; force[2 * i + 1] -= y; force[2 * j] += x; force[2 * j + 1] += y;
      }
    let [left, bottom] = [0, 0];
    for (let at = 0; at < 2 * count; at++) {
      speed[at] = Math.min(Math.max(MOMENTUM * speed[at] + RATE * 4 * force[at], -2), 2);
      places[at] += speed[at];
      if (at & 1) bottom += places[at] / count; else left += places[at] / count;
    }
    for (let at = 0; at < 2 * count; at += 2) { places[at] -= left; places[at + 1] -= bottom; }
  }
}
