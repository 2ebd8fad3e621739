import { type CacheEntry, decodeObject, type ObjectCache } from '@tsukube/apiserver';
import { BoundedCache, mapIn } from '@tsukube/machinery';
import { labelPrefix, type NamespacePolicy, policyOf, type SecurityPolicy } from './policy.ts';

const maxNamespaces = 10_000;
const labelBytes = Buffer.from(labelPrefix);

/** The policies of namespaces, parsed once for each revision of a namespace. */
export class NamespacePolicies {
  readonly #namespaces: ObjectCache;
  readonly #defaults: NamespacePolicy;
  readonly #known = new BoundedCache<string, { readonly revision: number; readonly found: NamespacePolicy }>({
    entries: maxNamespaces,
  });

  constructor(namespaces: ObjectCache, defaults: SecurityPolicy) {
    this.#namespaces = namespaces;
    this.#defaults = policyOf({}, defaults);
  }

  /** Undefined if there is no such namespace. Synchronous if the namespace is cached. */
  of(namespace: string): NamespacePolicy | undefined | Promise<NamespacePolicy | undefined> {
    const waiting = this.#namespaces.loaded();
    return waiting ? waiting.then(() => this.#find(namespace)) : this.#find(namespace);
  }

  #find(namespace: string): NamespacePolicy | undefined | Promise<NamespacePolicy | undefined> {
    const key = `${this.#namespaces.prefix}${namespace}`;
    const entry = this.#namespaces.peek(key);
    if (entry) return this.#policyOf(entry);
    // The cache may be behind.
    return this.#namespaces.get(key).then((found) => found && this.#policyOf(found));
  }

  #policyOf(entry: CacheEntry): NamespacePolicy {
    const known = this.#known.get(entry.key);
    if (known?.revision === entry.revision) return known.found;
    const found = entry.value.includes(labelBytes) ? this.#parse(entry) : this.#defaults;
    this.#known.set(entry.key, { revision: entry.revision, found });
    return found;
  }

  #parse({ value }: CacheEntry): NamespacePolicy {
    return policyOf(mapIn(decodeObject(value).metadata, 'labels'), this.#defaults.policy);
  }
}
