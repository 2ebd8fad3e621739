const maxShown = 240;

/**
 * The differences between two responses, one line each.
 * @param {any} expected
 * @param {any} actual
 * @param {string} [path]
 * @returns {Generator<string>}
 */
export function* differences(expected, actual, path = '') {
  if (Object.is(comparable(expected), comparable(actual))) return;
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    yield `${path || '.'}: want ${shown(expected)}, got ${shown(actual)}`;
    return;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const at = Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`;
    if (!(key in expected)) yield `${at}: unexpected ${shown(actual[key])}`;
    else if (!(key in actual)) yield `${at}: missing ${shown(expected[key])}`;
    else yield* differences(expected[key], actual[key], at);
  }
}

/** @param {any} value */
function isContainer(value) {
  return typeof value === 'object' && value !== null;
}

const ownWords = /(cannot be handled as an? \w+: |couldn't get version\/kind; |unable to decode |error decoding ).*$/s;

/**
 * Where a message of kube-apiserver continues with the error of a Go library, only its beginning is compared. @param {any}
 * value
 */
function comparable(value) {
  return typeof value === 'string' ? value.replace(ownWords, '$1<reason>') : value;
}

/** @param {any} value */
function shown(value) {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
