import { setMaxListeners } from 'node:events';
import type { ApiObject } from '../rest/api-object.ts';
import type { ResourceApi, Selectors } from '../rest/resource-api.ts';
import { resourceNameText } from '../rest/resource-name.ts';
import { Informer, type InformerOptions } from './informer.ts';

type SharedOptions = Omit<InformerOptions<ApiObject>, 'indexers' | keyof Selectors>;
/** Informers of different types in one map. */
type AnyInformer = Pick<Informer<ApiObject>, 'isSynced' | 'synced' | 'run'>;

/** Informers shared by the parts of a program: one watch for each resource, namespace and selection. */
export class SharedInformers {
  readonly #options: SharedOptions;
  readonly #informers = new Map<string, AnyInformer>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  /** Options for all informers. */
  constructor(options: SharedOptions = {}) {
    this.#options = options;
  }

  /** Informers that are asked for after `run` start at once. */
  for<T extends ApiObject>(api: ResourceApi<T>, selection: Selectors = {}): Informer<T> {
    const key = JSON.stringify([resourceNameText(api.resource), api.scope.namespace, selection]);
    const known = this.#informers.get(key);
    // The resource determines the type of the objects.
    if (known) return known as Informer<T>;
    const { transform, ...options } = this.#options;
    const typed = transform && { transform: (object: T) => transform(object) as T };
    const made = new Informer(api, { ...options, ...selection, ...typed });
    this.#informers.set(key, made);
    if (this.#signal) this.#start(made, this.#signal);
    return made;
  }

  get isSynced(): boolean {
    return [...this.#informers.values()].every(({ isSynced }) => isSynced);
  }

  /** Resolves when all informers have their first list. */
  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced(signal)));
  }

  /** Runs all informers until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    this.#signal = signal;
    for (const informer of this.#informers.values()) this.#start(informer, signal);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.all(this.#running);
  }

  #start(informer: AnyInformer, signal: AbortSignal): void {
    const running = informer.run(signal);
    // An informer that the caller runs, too, is reported by `run`.
    running.catch(() => {});
    this.#running.add(running);
  }
}
