/**
 * @typedef {import('./rows/row.mjs').Row} Row
 * @typedef {import('./rows/row.mjs').Sample} Sample
 * @typedef {import('./servers/launcher.mjs').Contender} Contender
 * @typedef {Record<Contender['label'], Sample[]>} SamplesByContender
 * @typedef {{ row: Row, samples: SamplesByContender }} RecordedRow
 */

/** Collects the samples of all rows, in order of first appearance. */
export class Recorder {
  /** @type {Map<string, RecordedRow>} */
  #rows = new Map();

  /** @param {Row} row @param {Contender['label']} label @param {Sample} sample */
  add(row, label, sample) {
    const recorded = this.#rows.get(row.id) ?? { row, samples: { tsukube: [], peer: [] } };
    recorded.samples[label].push(sample);
    this.#rows.set(row.id, recorded);
  }

  /** @returns {RecordedRow[]} */
  rows() {
    return [...this.#rows.values()];
  }
}
