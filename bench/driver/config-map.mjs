/** The object of most rows: a ConfigMap of about 1 KB of JSON. */

const filler = 'The quick brown fox jumps over the lazy dog. '.repeat(20).slice(0, 840);
/** Marks a stamp and occurs nowhere else in an object, so that a scan for one byte finds every event. */
const stampMark = '@';
const stampByte = stampMark.charCodeAt(0);
const stampDigits = 23;
const versionMark = Buffer.from('"resourceVersion":"');
const continueMark = Buffer.from('"continue":"');
const quote = 34;
const groups = 10;

/** @param {string} prefix @param {number} index */
export function objectName(prefix, index) {
  return `${prefix}-${String(index).padStart(6, '0')}`;
}

/** Selects one object in ten. */
export const tenthSelector = encodeURIComponent('group=g3');

/** @param {number | string} value different for every write, so that none is a no-op */
export function stampOf(value) {
  return stampMark + String(value).padStart(stampDigits, '0');
}

/** @param {string} prefix @param {number} index @param {string} stamp @param {string} [resourceVersion] */
export function encodeConfigMap(prefix, index, stamp, resourceVersion) {
  const version = resourceVersion ? `,"resourceVersion":"${resourceVersion}"` : '';
  const metadata = `{"name":"${objectName(prefix, index)}","labels":{"group":"g${index % groups}"}${version}}`;
  const data = `{"payload":"${filler}","stamp":"${stamp}"}`;
  return Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata},"data":${data}}`);
}

/** @param {string} stamp */
export function encodeStampPatch(stamp) {
  return Buffer.from(`{"data":{"stamp":"${stamp}"}}`);
}

/** @param {Buffer} body @param {Buffer} mark */
function textAfter(body, mark) {
  const at = body.indexOf(mark);
  if (at < 0) return undefined;
  const from = at + mark.length;
  return body.toString('latin1', from, body.indexOf(quote, from));
}

/** @param {Buffer} body an object, or a list whose own version precedes those of its items */
export function resourceVersionIn(body) {
  return textAfter(body, versionMark);
}

/** @param {Buffer} body @returns {string | undefined} the token of the next page */
export function continueTokenIn(body) {
  return textAfter(body, continueMark) || undefined;
}

/**
 * Calls back with the number in each complete stamp.
 * @param {Buffer} bytes @param {(value: number) => void} found
 * @returns {number} start of a truncated stamp, or the length of the bytes
 */
export function forEachStamp(bytes, found) {
  for (let at = bytes.indexOf(stampByte); at >= 0; at = bytes.indexOf(stampByte, at + stampDigits)) {
    const from = at + 1;
    if (from + stampDigits > bytes.length) return at;
    found(Number(bytes.toString('latin1', from, from + stampDigits)));
  }
  return bytes.length;
}
