import type { RequestInfo } from '../routing/request-info.ts';

const reading = new Set(['get', 'list', 'watch', 'proxy']);

/** How many watches look at what: every one of them is work for whoever writes. */
export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a watch until the returned function is called. A watch of the pods of one node sees few writes, and does not count. */
  register(info: RequestInfo, fieldSelector: string | null): () => void {
    if (info.resource === 'pods' && selectsOneNode(fieldSelector)) return () => {};
    const key = keyOf(info, info.namespace, info.name);
    this.#add(key, 1);
    return () => this.#add(key, -1);
  }

  /** The watches that a write may have something to tell. */
  interestedIn(info: RequestInfo): number {
    if (this.#counts.size === 0 || reading.has(info.verb)) return 0;
    let count = this.#of(keyOf(info, '', ''));
    if (info.namespace !== '') count += this.#of(keyOf(info, info.namespace, ''));
    if (info.name !== '') count += this.#of(keyOf(info, info.namespace, info.name));
    return count;
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, difference: number): void {
    const count = this.#of(key) + difference;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

function keyOf({ group, resource }: RequestInfo, namespace: string, name: string): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

function selectsOneNode(fieldSelector: string | null): boolean {
  return fieldSelector !== null && /(^|,)spec\.nodeName==?[^,=]/.test(fieldSelector);
}
