import { account, collectionPath, cronTabDefinition } from '../driver/manifest.mjs';
import { createDefinition, createNamespace, createServiceAccount, deleteNamespace } from '../servers/api.mjs';

/**
 * Namespaces and objects of rows, created on first use and removed at the end.
 *
 * @typedef {import('../servers/launcher.mjs').Contender} Contender
 * @typedef {import('../driver/manifest.mjs').ObjectKind} ObjectKind
 * @typedef {{ contender: Contender, namespace: string, kind: ObjectKind, sets: { prefix: string, count: number }[] }} Fixture
 */

const seedInFlight = 128;
const seedConnections = 4;
const unbounded = { warmupMs: 0, durationMs: Number.MAX_SAFE_INTEGER, minOps: 0, minBytes: 0 };
const perObjectMs = 20;

export class Fixtures {
  /** @type {Map<string, Promise<Fixture>>} */
  #made = new Map();
  #run = Date.now().toString(36);

  /** @param {import('../driver/pool.mjs').DriverPool} pool */
  constructor(pool) {
    this.pool = pool;
  }

  /**
   * @param {Contender} contender @param {string} purpose @param {string} prefix @param {number} count @param {ObjectKind} [kind]
   * @returns {Promise<string>} the path of the collection that holds `count` objects with that prefix
   */
  async collection(contender, purpose, prefix, count, kind = 'configmaps') {
    const namespace = this.#namespace(contender, purpose);
    const making = this.#made.get(namespace) ?? this.#make(contender, namespace, prefix, count, kind);
    this.#made.set(namespace, making);
    await making;
    return collectionPath(namespace, kind);
  }

  /** The same, for ConfigMaps without managedFields. @param {Contender} contender @param {string} purpose @param {string} prefix @param {number} count */
  async unowned(contender, purpose, prefix, count) {
    const namespace = this.#namespace(contender, purpose);
    const making = this.#made.get(namespace) ?? this.#makeUnowned(contender, namespace, prefix, count);
    this.#made.set(namespace, making);
    await making;
    return collectionPath(namespace, 'configmaps');
  }

  /** @param {Contender} contender @param {string} purpose */
  #namespace(contender, purpose) {
    return `bench-${contender.label}-${this.#run}-${purpose}`;
  }

  /** @param {Contender} contender @param {string} namespace @param {string} prefix @param {number} count @returns {Promise<Fixture>} */
  async #makeUnowned(contender, namespace, prefix, count) {
    const fixture = await this.#make(contender, namespace, prefix, count, 'configmaps');
    await this.#each(fixture, { kind: 'disown', prefix, count }, count);
    return fixture;
  }

  /** @param {Contender} contender @param {string} namespace @param {string} prefix @param {number} count @param {ObjectKind} kind @returns {Promise<Fixture>} */
  async #make(contender, namespace, prefix, count, kind) {
    await createNamespace(contender.endpoint, namespace);
    if (kind === 'pods') await createServiceAccount(contender.endpoint, namespace, account);
    if (kind === 'crontabs') await createDefinition(contender.endpoint, cronTabDefinition);
    const fixture = { contender, namespace, kind, sets: [{ prefix, count }] };
    if (count > 0) await this.#each(fixture, { kind: 'create', prefix, count, of: kind }, count);
    return fixture;
  }

  /** @param {Fixture} fixture @param {import('../driver/object-work.mjs').Operation} operation @param {number} count */
  async #each({ contender, namespace, kind }, operation, count) {
    const job = {
      endpoint: contender.endpoint,
      protocol: /** @type {const} */ ('h2'),
      collection: collectionPath(namespace, kind),
      operation,
      inFlight: seedInFlight,
      connections: seedConnections,
      bounds: unbounded,
    };
    const result = await this.pool.runObjects(job, 30_000 + count * perObjectMs);
    if (result.failures > 0) throw new Error(`${operation.kind} of ${count} objects: ${result.failureSamples.join('; ')}`);
  }

  /** @param {(namespace: string) => void} onRemove */
  async remove(onRemove) {
    for (const making of this.#made.values()) {
      const fixture = await making.catch(() => undefined);
      if (!fixture || fixture.contender.disposable) continue;
      onRemove(fixture.namespace);
      for (const { prefix, count } of fixture.sets) {
        const counts = Array.from({ length: this.pool.size }, (_, index) => Math.ceil((count - index) / this.pool.size));
        if (count > 0) await this.#each(fixture, { kind: 'delete', prefix, counts }, count);
      }
      await deleteNamespace(fixture.contender.endpoint, fixture.namespace);
    }
  }
}
