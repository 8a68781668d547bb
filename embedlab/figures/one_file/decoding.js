// Plain values of a file: points as sixteen bits in base64, numbers and shares as they are written.
"use strict";

function bytesOf(packed) {
  const binary = atob(packed), bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes.buffer;
}

/** Little-endian whole numbers of `size` bytes. */
function wholeNumbers(packed, size) {
  const view = new DataView(bytesOf(packed)), count = view.byteLength / size;
  const numbers = size === 2 ? new Uint16Array(count) : new Uint32Array(count);
  for (let place = 0; place < count; place++) numbers[place] = size === 2 ? view.getUint16(2 * place, true) : view.getUint32(4 * place, true);
  return numbers;
}

const numbered = (value) => value.toLocaleString("en");
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
