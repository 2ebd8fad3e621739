import { type ApiObject, keyOf } from '../rest/api-object.ts';
import type { ObjectStore } from './object-store.ts';
import type { WatcherEvent } from './watcher.ts';

/** A change of a store, after it was made. */
export type StoreChange<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'modified'; readonly object: T; readonly old: T }
  /** `object` is the last known state: its deletion may have been missed. */
  | { readonly type: 'deleted'; readonly object: T; readonly old: T }
  /** A list is complete, its changes came before. */
  | { readonly type: 'synced'; readonly resourceVersion: string }
  | { readonly type: 'error'; readonly error: unknown; readonly retryMs: number };

/** Keeps a part of an object only, to save memory. May change the object in place. */
export type Transform<T> = (object: T) => T;

/** Removes `metadata.managedFields`, often half of an object. The server keeps them when such an object is written. */
export function dropManagedFields<T extends ApiObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}

/**
 * Keeps a store equal to the state that a watcher reports, and yields its changes. A list replaces the store at once; only objects
 * that differ from those in the store are changes.
 */
export async function* reflector<T extends ApiObject>(
  store: ObjectStore<T>,
  events: AsyncIterable<WatcherEvent<T>>,
  transform: Transform<T> = (object) => object,
): AsyncGenerator<StoreChange<T>, void, void> {
  let changes: StoreChange<T>[] = [];
  const reflection = new Reflection(store, transform, (change) => changes.push(change));
  for await (const event of events) {
    reflection.apply(event);
    const made = changes;
    changes = [];
    for (const change of made) yield change;
  }
}

/** Applies the events of a watcher to a store, and reports the changes. */
export class Reflection<T extends ApiObject> {
  readonly #store: ObjectStore<T>;
  readonly #transform: Transform<T>;
  readonly #onChange: (change: StoreChange<T>) => void;
  /** The objects of a list that is not complete yet. */
  #listed = new Map<string, T>();

  constructor(store: ObjectStore<T>, transform: Transform<T>, onChange: (change: StoreChange<T>) => void) {
    this.#store = store;
    this.#transform = transform;
    this.#onChange = onChange;
  }

  apply(event: WatcherEvent<T>): void {
    if (event.type === 'initApply') this.#collect(this.#transform(event.object));
    else if (event.type === 'init') this.#listed = new Map();
    else if (event.type === 'initDone') this.#replace(event.resourceVersion);
    else if (event.type === 'error') this.#onChange(event);
    else if (event.type === 'bookmark') this.#store.resourceVersion = event.resourceVersion;
    else this.#change(event);
  }

  /** An object that the store has already is not kept twice. */
  #collect(object: T): void {
    const key = keyOf(object);
    const known = this.#store.get(key);
    this.#listed.set(key, known !== undefined && isSame(known, object) ? known : object);
  }

  #replace(resourceVersion: string): void {
    const listed = this.#listed;
    this.#listed = new Map();
    const before = this.#store.replace(listed);
    this.#store.resourceVersion = resourceVersion;
    for (const [key, old] of before) if (!listed.has(key)) this.#onChange({ type: 'deleted', object: old, old });
    for (const [key, object] of listed) {
      const old = before.get(key);
      if (old === undefined) this.#onChange({ type: 'added', object });
      else if (old !== object) this.#onChange({ type: 'modified', object, old });
    }
    this.#onChange({ type: 'synced', resourceVersion });
  }

  #change(event: Extract<WatcherEvent<T>, { type: 'apply' | 'delete' }>): void {
    const object = this.#transform(event.object);
    const change = event.type === 'apply' ? put(this.#store, object) : remove(this.#store, object);
    this.#store.resourceVersion = event.object.metadata.resourceVersion ?? this.#store.resourceVersion;
    if (change) this.#onChange(change);
  }
}

function put<T extends ApiObject>(store: ObjectStore<T>, object: T): StoreChange<T> | undefined {
  const known = store.get(keyOf(object));
  if (known !== undefined && isSame(known, object)) return undefined;
  const old = store.set(object);
  return old === undefined ? { type: 'added', object } : { type: 'modified', object, old };
}

function remove<T extends ApiObject>(store: ObjectStore<T>, object: T): StoreChange<T> | undefined {
  const old = store.delete(keyOf(object));
  return old === undefined ? undefined : { type: 'deleted', object, old };
}

/** Unknown, and therefore false, if a transform has removed the resourceVersion. */
function isSame({ metadata: a }: ApiObject, { metadata: b }: ApiObject): boolean {
  return a.resourceVersion !== undefined && a.resourceVersion === b.resourceVersion && a.uid === b.uid;
}
