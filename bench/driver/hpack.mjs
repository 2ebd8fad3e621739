/**
 * A minimal HPACK: headers are sent as literals without indexing, and only the status of a response is decoded. The driver
 * disables the server's dynamic table, so a status is either in the static table or a literal.
 */

const staticNames = new Map([
  [':authority', 1],
  [':path', 4],
  ['accept', 19],
  ['authorization', 23],
  ['content-length', 28],
  ['content-type', 31],
]);
const methodGet = 0x82;
const methodName = 2;
const schemeHttps = 0x87;
/** Entries 8 to 14 of the static table; other statuses reference the name of one of them. */
const firstStatus = 8;
const knownStatuses = [200, 204, 206, 304, 400, 404, 500];
/** Huffman codes of the digits: five bits for 0 to 2, six bits for 3 to 9. */
const shortDigits = ['0', '1', '2'];
const longDigitsFrom = 0b011001;

/** @param {number} value @param {number} prefixBits @param {number} pattern @returns {number[]} */
function encodeInteger(value, prefixBits, pattern) {
  const limit = 2 ** prefixBits - 1;
  if (value < limit) return [pattern | value];
  const bytes = [pattern | limit];
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

/** @param {number} nameIndex @param {string} value */
function literal(nameIndex, value) {
  return Buffer.concat([
    Buffer.from([...encodeInteger(nameIndex, 4, 0), ...encodeInteger(value.length, 7, 0)]),
    Buffer.from(value, 'latin1'),
  ]);
}

/** @param {string} name @param {string} value */
export function encodeHeader(name, value) {
  const index = staticNames.get(name);
  if (index !== undefined) return literal(index, value);
  const spelled = [...encodeInteger(name.length, 7, 0), ...Buffer.from(name, 'latin1')];
  return Buffer.from([0, ...spelled, ...encodeInteger(value.length, 7, 0), ...Buffer.from(value, 'latin1')]);
}

/** @param {string} method */
export function encodeMethodAndScheme(method) {
  const encoded = method === 'GET' ? Buffer.from([methodGet]) : literal(methodName, method);
  return Buffer.concat([encoded, Buffer.from([schemeHttps])]);
}

/** @param {Buffer} text */
function huffmanDigits(text) {
  let bits = '';
  for (const byte of text) bits += byte.toString(2).padStart(8, '0');
  let digits = '';
  for (let at = 0; digits.length < 3; ) {
    const short = Number.parseInt(bits.slice(at, at + 5), 2);
    const isShort = short < shortDigits.length;
    digits += isShort ? shortDigits[short] : String(3 + Number.parseInt(bits.slice(at, at + 6), 2) - longDigitsFrom);
    at += isShort ? 5 : 6;
  }
  return digits;
}

/** @type {Map<number, number>} Literal statuses by their encoded bytes. */
const decodedStatuses = new Map();

/** @param {Buffer} block @returns {number} 0 if the block has no status, as in trailers */
export function decodeStatus(block) {
  let at = 0;
  while (at < block.length && (block[at] & 0xe0) === 0x20) at++; // a table size update precedes the first header
  const first = block[at];
  const known = knownStatuses[first - 0x80 - firstStatus];
  if (known !== undefined) return known;
  const nameIndex = first & 0x40 ? first & 0x3f : first & 0x0f;
  if (nameIndex < firstStatus || nameIndex >= firstStatus + knownStatuses.length) return 0;
  const coded = block.readUIntBE(at + 1, 4);
  const decoded = decodedStatuses.get(coded);
  if (decoded !== undefined) return decoded;
  const length = block[at + 1] & 0x7f;
  const text = block.subarray(at + 2, at + 2 + length);
  const status = Number(block[at + 1] & 0x80 ? huffmanDigits(text) : text.toString('latin1'));
  decodedStatuses.set(coded, status);
  return status;
}
