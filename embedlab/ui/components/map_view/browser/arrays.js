// Arrays by their content id: each is fetched once, whatever else about a map changes; and rows and bits unpacked.

const ARRAY_BYTES_KEPT = 96 * 2 ** 20;
const arrays = (window.embedlabArrays ??= new Map()); // id -> {loading, bytes}, the last used ones last

function fetchArray(id, token) {
  const kept = arrays.get(id) ?? { bytes: 0 };
  kept.loading ??= fetch(new URL(`data/array?id=${id}`, document.baseURI), { headers: { "X-Embedlab-Token": token } }).then(async (answer) => {
    if (!answer.ok) throw new Error(`array ${id}: ${answer.status}`);
    const content = await answer.arrayBuffer();
    kept.bytes = content.byteLength;
    return content;
  });
  arrays.delete(id);
  arrays.set(id, kept);
  kept.loading.then(forgetOldest, () => arrays.delete(id));
  return kept.loading;
}

function forgetOldest() {
  let bytes = 0;
  for (const [id, kept] of [...arrays].reverse()) if ((bytes += kept.bytes) > ARRAY_BYTES_KEPT && bytes > kept.bytes) arrays.delete(id);
}

/** A byte each, 0 or 1, from a bit each; null from null. */
function bitsOf(content, count) {
  if (!content) return null;
  const packed = new Uint8Array(content), bits = new Uint8Array(count);
  for (let index = 0; index < count; index++) bits[index] = (packed[index >> 3] >> (index & 7)) & 1;
  return bits;
}

/** The row of each point, or null for 0 … count−1.  `told`: {kind: "bits" | "list"} */
function rowsOf(told, content, count) {
  if (!told) return null;
  if (told.kind === "list") return new Int32Array(content);
  const rows = new Int32Array(count), packed = new Uint8Array(content);
  for (let row = 0, point = 0; row < packed.length * 8; row++) if ((packed[row >> 3] >> (row & 7)) & 1) rows[point++] = row;
  return rows;
}

/** row -> point or -1, without an object a point. */
function pointLookup(rows) {
  let highest = -1;
  for (const row of rows) if (row > highest) highest = row;
  if (highest > 64 * rows.length + 1e6) { // few texts of a very large corpus
    const found = new Map(Array.from(rows, (row, point) => [row, point]));
    return (row) => found.get(row) ?? -1;
  }
  const points = new Int32Array(highest + 1).fill(-1);
  rows.forEach((row, point) => (points[row] = point));
  return (row) => points[row] ?? -1;
}
