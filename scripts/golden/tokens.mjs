const times = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'lastTransitionTime',
  'lastUpdateTime',
  'lastProbeTime',
  'lastHeartbeatTime',
  'startTime',
  'renewTime',
]);

/**
 * Replaces values that differ between runs (uids, times, resource versions, generated names) by tokens, numbered in order of
 * first appearance, so that "unchanged" and "changed" are still compared.
 */
export class Tokens {
  /** @type {Map<string, string>} */
  #known = new Map();
  /** @type {Record<string, number>} */
  #counts = {};

  /**
   * @param {any} value
   * @param {string} [key]  under which the value is found
   * @returns {any}
   */
  scrub(value, key = '') {
    if (Array.isArray(value)) return ordered(value, key).map((each) => this.scrub(each, key));
    if (value && typeof value === 'object') {
      const entries = Object.entries(withoutListVersion(value));
      return Object.fromEntries(entries.map(([name, member]) => [name, this.scrub(member, name)]));
    }
    return typeof value === 'string' ? this.#scrubText(value, key) : value;
  }

  /** @param {string} text @param {string} key */
  #scrubText(text, key) {
    if (key === 'uid') return this.#token('uid', text);
    if (key === 'resourceVersion') return this.#token('rv', text);
    if (key === 'cells' && /^\d+m?s$/.test(text)) return '<age>';
    if (key === 'continue') return text && '<continue>';
    if (times.has(key)) return '<time>';
    return text
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (uid) => this.#token('uid', uid))
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      .replace(/(X509SHA256=)[0-9a-f]{64}/g, '$1<hash>')
      .replace(/(kube-api-access-)[a-z0-9]{5}\b/g, '$1<random>')
      .replace(/(record \()\d+(\))/g, '$1<n>$2')
      .replace(/(resourceVersion\\*":\\*")\d+/g, '$1<n>')
      .replace(/(resource version: )\d+(, current: )\d+/g, '$1<n>$2<n>');
  }

  /** @param {string} kind @param {string} value */
  #token(kind, value) {
    if (value === '' || value === '0') return value;
    const id = `${kind}:${value}`;
    let token = this.#known.get(id);
    if (token === undefined) {
      this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
      token = `<${kind}${this.#counts[kind]}>`;
      this.#known.set(id, token);
    }
    return token;
  }
}

/** The order of managedFields entries written within the same second is undefined. @param {any[]} list @param {string} key */
function ordered(list, key) {
  if (key !== 'managedFields') return list;
  const rank = (/** @type {any} */ entry) => `${entry.manager} ${entry.operation} ${entry.subresource ?? ''}`;
  return [...list].sort((a, b) => rank(a).localeCompare(rank(b)));
}

/** The resourceVersion of a list or bookmark is that of the whole store: only its presence is compared. @param {any} value */
function withoutListVersion(value) {
  if (!Array.isArray(value.items) && !Array.isArray(value.rows) && value.type !== 'BOOKMARK') return value;
  const copy = structuredClone(value);
  if (copy.metadata?.resourceVersion) copy.metadata.resourceVersion = '0';
  if (copy.object?.metadata?.resourceVersion) copy.object.metadata.resourceVersion = '0';
  return copy;
}
