// In which order points are drawn: hidden, dimmed, behind, as they are, or chosen; within a layer none over its neighbors by rule.

const HIDDEN = 0, DIM = 1, BEHIND = 2, NORMAL = 3, CHOSEN = 4; // the state of a point, one byte each; later ones on top

/** The state that the legend gives the points of a class; `without` is the number of those that have none. */
function stateOfClass(legend, category, without) {
  if (legend.gone.has(category)) return HIDDEN;
  return !legend.isOn(category) ? DIM : category === without ? BEHIND : NORMAL;
}

const shuffles = new Map(); // of the last few counts

/** 0 … count−1 in a fixed random order: no class is painted over by those that come later in the file. */
function shuffled(count) {
  if (shuffles.has(count)) return shuffles.get(count);
  const order = new Uint32Array(count).map((_, index) => index);
  let seed = 42;
  for (let last = count - 1; last > 0; last--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((seed / 4294967296) * (last + 1)), moved = order[last];
    order[last] = order[other];
    order[other] = moved;
  }
  if (shuffles.size > 3) shuffles.delete(shuffles.keys().next().value);
  shuffles.set(count, order);
  return order;
}

/** The points that are drawn, in that order within each layer, the layers from below. */
function layered(states) {
  const base = shuffled(states.length), starts = new Uint32Array(CHOSEN + 2);
  for (const state of states) starts[state + 1]++;
  starts[HIDDEN + 1] = 0;
  for (let state = 1; state <= CHOSEN; state++) starts[state + 1] += starts[state];
  const order = new Uint32Array(starts[CHOSEN + 1]);
  for (const point of base) if (states[point] !== HIDDEN) order[starts[states[point]]++] = point;
  return order;
}
