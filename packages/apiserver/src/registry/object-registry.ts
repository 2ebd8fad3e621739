import {
  deepCopy,
  deepEqual,
  type Effort,
  generateName,
  isValidPathSegmentName,
  type JsonObject,
  StatusError,
} from '@tsukube/machinery';
import {
  Cancelled,
  KeyExists,
  Mismatch,
  RequestTooLarge,
  type Store,
  type StoreWriteOptions,
  UnreadableValue,
} from '@tsukube/storage';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { User } from '../http/api-request.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { ObjectCache } from '../watchcache/object-cache.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';
import { beforeCreate, beforeUpdate, removedByUpdate } from './before-write.ts';
import { type FieldManagement, keepTimes } from './field-management.ts';
import { orderedAs } from './object-form.ts';
import { dedupOwnerReferences, ensureNamespace, nameOfKey, needsGeneratedName } from './object-meta.ts';
import type { Reservation, Resource, ServedVersion, Strategy } from './resource.ts';
import { decodeObject, encodeObject, encodeStored, isServedAs } from './stored-form.ts';
import { alreadyExists, checkResourceVersion, checkUid, checkUnversioned } from './write-errors.ts';

/** What is asked, by whom, and for which version the answer is worded. */
export interface WriteContext {
  readonly version: ServedVersion;
  readonly user: User;
  /** Of the request; absent where the server itself writes. */
  readonly verb?: string;
  readonly namespace: string;
  readonly subresource: string;
  /** The resource's strategy, or the subresource's on top of it. */
  readonly strategy: Strategy;
  readonly dryRun: boolean;
  /** Admission has seen the request that makes this write, such as an eviction, and is not asked again. */
  readonly isAdmitted?: boolean;
  /** Who comes to own what is written; without it, nobody does. */
  readonly fieldManager?: string;
  /** How much work validation may do here; the whole of it if absent. */
  readonly effort?: Effort | undefined;
  readonly warn: (text: string) => void;
  /** Whether the request is cancelled: its client is gone, or its deadline has passed. What is not written yet will not be. */
  readonly isOver: () => boolean;
  /** Called when synchronous work for the write begins anew after it has waited. */
  readonly onResume?: () => void;
}

export interface RegistryServices {
  readonly admission: Admission;
  readonly now: () => number;
  /** A name for an object that only has a prefix of one; random if absent. */
  readonly generateName?: (prefix: string) => string;
  /** Without it no object says who owns its fields, and none can be applied to. */
  readonly fieldManagement?: FieldManagement;
  /** Nobody collects what belongs to an object that is deleted: requests to do something about it are not heeded. */
  readonly keepsDependents?: boolean;
  /** The objects of another kind, for kinds that keep something there. */
  readonly registryNamed?: (group: string, plural: string) => ObjectRegistry | undefined;
  /** Asked before an object is deleted that cannot be read. Without it that is refused. */
  readonly authorizer?: Authorizer;
  /** For what is kept beside the objects, under keys that no kind has. */
  readonly store?: Pick<Store, 'get' | 'create' | 'update'>;
}

export interface Written {
  readonly entry: CacheEntry;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'removed';
}

/** Gives the new object from the one that is there. Called again when somebody else was faster. */
export type Transform = (existing: JsonObject | undefined) => JsonObject | Promise<JsonObject>;

/** The objects of one resource: what all kinds have in common between a verb and the store. */
export class ObjectRegistry {
  readonly resource: Resource;
  readonly cache: ObjectCache;
  readonly services: RegistryServices;

  constructor(resource: Resource, cache: ObjectCache, services: RegistryServices) {
    this.resource = resource;
    this.cache = cache;
    this.services = services;
  }

  /** Fails with 400 on a name that cannot be a key. */
  key(namespace: string, name: string): string {
    const problems = isValidPathSegmentName(name);
    if (problems.length > 0)
      throw StatusError.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems.join(';')}`);
    return `${this.prefix(namespace)}${name}`;
  }

  /** Where the objects of a namespace, or all of them, stand. Fails with 400 on a namespace that cannot be part of a key. */
  prefix(namespace: string): string {
    const { storagePrefix, scope, names } = this.resource;
    if (namespace === '.' || namespace === '..') throw StatusError.badRequest(`invalid key: "/${names.plural}/${namespace}"`);
    return scope === 'Namespaced' && namespace !== '' ? `${storagePrefix}/${namespace}/` : `${storagePrefix}/`;
  }

  async create(object: JsonObject, context: WriteContext): Promise<Written> {
    throwIfCancelled(context);
    try {
      return await this.#admitAndCreate(object, context);
    } catch (error) {
      if (!(error instanceof KeyExists)) throw error;
      throw await this.#alreadyExists(error, (object.metadata as JsonObject).generateName, context);
    }
  }

  /** Fails with KeyExists. */
  async #admitAndCreate(object: JsonObject, context: WriteContext): Promise<Written> {
    dedupOwnerReferences(object.metadata as JsonObject, context.warn);
    const tracking = this.#track(object, undefined, context);
    if (tracking) await tracking;
    const attributes = this.#attributes('CREATE', object, undefined, context);
    if (!context.isAdmitted) await this.services.admission.mutate(attributes);
    const authorizing = context.strategy.authorizeWrite?.(object, undefined, context, this);
    if (authorizing) await authorizing;
    ensureNamespace(this.resource, object.metadata as JsonObject, context.namespace);
    if (needsGeneratedName(object.metadata as JsonObject)) return this.#createGenerated(object, context);
    return this.#createNamed(object, attributes, context);
  }

  /** Tries further names where the generated one is taken. */
  async #createGenerated(object: JsonObject, context: WriteContext): Promise<Written> {
    const generate = this.services.generateName ?? generateName;
    for (let attempt = 1; ; attempt++) {
      const named = deepCopy(object);
      const metadata = named.metadata as JsonObject;
      metadata.name = generate(metadata.generateName as string);
      try {
        return await this.#createNamed(named, this.#attributes('CREATE', named, undefined, context), context);
      } catch (error) {
        if (attempt === maxNameAttempts || !(error instanceof KeyExists)) throw error;
      }
      throwIfCancelled(context);
    }
  }

  #createNamed(object: JsonObject, attributes: AdmissionAttributes, context: WriteContext): Promise<Written> {
    return this.#reserving(object, undefined, context, () => this.#create(object, attributes, context));
  }

  async #create(object: JsonObject, attributes: AdmissionAttributes, context: WriteContext): Promise<Written> {
    context.onResume?.();
    beforeCreate(this.resource, object, context, this.services.now());
    const metadata = object.metadata as JsonObject;
    const key = this.key(context.namespace, metadata.name as string);
    if (!context.isAdmitted) await this.services.admission.validate(attributes);
    const ordered = orderedAs(object, this.resource.hub.schema);
    if (context.dryRun) return this.#pretendCreate(key, ordered, context);
    checkUnversioned(metadata);
    const entry = await fitting(ordered, encodeStored(ordered), (value) =>
      this.cache.create(key, value, this.writeOptions(context)),
    );
    return { entry, outcome: 'created' };
  }

  async #pretendCreate(key: string, object: JsonObject, context: WriteContext): Promise<Written> {
    if (await this.cache.get(key)) throw new KeyExists(key);
    context.strategy.defaultOnRead?.(object);
    return { entry: unstored(key, object, 0), outcome: 'created' };
  }

  async #alreadyExists({ key }: KeyExists, generateName: unknown, context: WriteContext): Promise<StatusError> {
    const found = await this.cache.get(key).catch(unlessUnreadable);
    const { name } = nameOfKey(this.resource, key);
    return alreadyExists(
      this.#qualified(context),
      name,
      Boolean(generateName),
      found && !found.corrupt ? decodeObject(found.value) : undefined,
    );
  }

  /** Reads, transforms and writes, again and again until nobody was faster. */
  async update(name: string, uid: string | undefined, transform: Transform, context: WriteContext): Promise<Written> {
    const key = this.key(context.namespace, name);
    for (;;) {
      throwIfCancelled(context);
      const looked = this.cache.lookup(key);
      const found = looked instanceof Promise ? await looked : looked;
      try {
        return await this.#tryUpdate(key, name, found, uid, transform, context);
      } catch (error) {
        if (!(error instanceof Mismatch || error instanceof KeyExists)) throw error;
      }
    }
  }

  async #tryUpdate(
    key: string,
    name: string,
    found: CacheEntry | undefined,
    uid: string | undefined,
    transform: Transform,
    context: WriteContext,
  ): Promise<Written> {
    const qualified = this.#qualified(context);
    if (!found) {
      if (!context.strategy.allowCreateOnUpdate) throw StatusError.notFound(qualified, name);
      checkUid(key, name, uid, { metadata: { uid: '' } }, qualified);
      const created = await transform(undefined);
      delete (created.metadata as JsonObject).resourceVersion;
      return this.#admitAndCreate(created, context);
    }
    context.onResume?.();
    const existing = decodeObject(found.value);
    checkUid(key, name, uid, existing, qualified);
    const transformed = transform(existing);
    const object = transformed instanceof Promise ? await transformed : transformed;
    dedupOwnerReferences(object.metadata as JsonObject, context.warn);
    const tracking = this.#track(object, existing, context);
    if (tracking) await tracking;
    const attributes = this.#attributes('UPDATE', object, existing, context, name);
    const mutating = context.isAdmitted ? undefined : this.services.admission.mutate(attributes);
    if (mutating) await mutating;
    checkResourceVersion(object, existing, name, qualified, context.strategy);
    keepTimes(object, existing);
    const authorizing = context.strategy.authorizeWrite?.(object, existing, context, this);
    if (authorizing) await authorizing;
    return this.#reserving(object, existing, context, async () => {
      context.onResume?.();
      beforeUpdate(this.resource, object, existing, context);
      const validating = context.isAdmitted ? undefined : this.services.admission.validate(attributes);
      if (validating) await validating;
      return this.#store(key, found, object, existing, context);
    });
  }

  #track(object: JsonObject, existing: JsonObject | undefined, context: WriteContext): void | Promise<void> {
    if (context.fieldManager === undefined) return;
    return this.services.fieldManagement?.track(this.resource, object, existing, context, this.services.now());
  }

  /** What a write takes from what its kind shares is given back unless it is stored. */
  #reserving(
    object: JsonObject,
    existing: JsonObject | undefined,
    context: WriteContext,
    write: () => Promise<Written>,
  ): Promise<Written> {
    const reserving = context.strategy.reserve?.(object, existing, this, context.dryRun);
    return reserving ? this.#writeReserved(reserving, context, write) : write();
  }

  async #writeReserved(reserving: Promise<Reservation>, context: WriteContext, write: () => Promise<Written>): Promise<Written> {
    const reservation = await reserving;
    try {
      const written = await write();
      if (context.dryRun || written.outcome === 'removed') await reservation.giveBack();
      else await reservation.keep(written.entry);
      return written;
    } catch (error) {
      await reservation.giveBack();
      throw error;
    }
  }

  async #store(
    key: string,
    found: CacheEntry,
    object: JsonObject,
    existing: JsonObject,
    context: WriteContext,
  ): Promise<Written> {
    if (removedByUpdate(object, existing, context.strategy)) {
      if (!context.dryRun) await this.remove(found, object, context).catch(ignoreRemoved);
      return { entry: unstored(key, object, found.revision), outcome: 'removed' };
    }
    const ordered = orderedAs(object, this.resource.hub.schema);
    const stored = encodeStored(ordered);
    const isSame = isServedAs(stored, found.value, found.revision) || isReordered(stored, found, ordered, existing);
    if (isSame && (await this.cache.holds(key, stored))) return { entry: found, outcome: 'unchanged' };
    if (context.dryRun) return { entry: unstored(key, ordered, found.revision), outcome: 'updated' };
    const entry = await fitting(ordered, stored, (value) =>
      this.cache.update(key, value, found.revision, this.writeOptions(context)),
    );
    return { entry, outcome: 'updated' };
  }

  /** Takes an object out of the store. Fails with Mismatch. */
  async remove(found: CacheEntry, object: JsonObject, { strategy, isOver }: WriteContext): Promise<void> {
    await this.cache.delete(found.key, found.revision, { isCancelled: isOver });
    await strategy.afterRemove?.(object, this);
  }

  #attributes(
    operation: 'CREATE' | 'UPDATE',
    object: JsonObject,
    oldObject: JsonObject | undefined,
    context: WriteContext,
    name = ((object.metadata as JsonObject).name as string) ?? '',
  ): AdmissionAttributes {
    const { version, namespace, subresource, user, dryRun } = context;
    return { operation, resource: this.resource, version, subresource, namespace, name, object, oldObject, user, dryRun };
  }

  #qualified({ version }: WriteContext): { group: string; resource: string } {
    return { group: version.group, resource: this.resource.names.plural };
  }

  writeOptions({ isOver }: WriteContext): StoreWriteOptions {
    return { ttlSeconds: this.resource.ttlSeconds, isCancelled: isOver };
  }
}

/** Drops managedFields, which can be large, where the object does not fit into a request to the store. */
async function fitting(object: JsonObject, stored: Buffer, write: (value: Buffer) => Promise<CacheEntry>): Promise<CacheEntry> {
  try {
    return await write(stored);
  } catch (error) {
    const { managedFields, ...metadata } = object.metadata as JsonObject;
    if (!(error instanceof RequestTooLarge) || managedFields === undefined) throw error;
    return write(encodeStored({ ...object, metadata }));
  }
}

/** A concurrent request removed the object. */
function ignoreRemoved(error: unknown): void {
  if (!(error instanceof Mismatch) || error.current !== undefined) throw error;
}

/** An object that cannot be read has the name all the same. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableValue)) throw error;
}

/** Spares the work whose result would not be written. */
export function throwIfCancelled({ isOver }: WriteContext): void {
  if (isOver()) throw new Cancelled();
}

/** Defaults may have been filled in in another order before, which changes the bytes but not their number. */
function isReordered(stored: Buffer, found: CacheEntry, object: JsonObject, existing: JsonObject): boolean {
  const version = `,"resourceVersion":"${found.revision}"`;
  return stored.length + version.length === found.value.length && deepEqual(object, existing);
}

/** An object that was answered but not written: of a dry run, or the last state of one that is gone. */
function unstored(key: string, object: JsonObject, revision: number): CacheEntry {
  return { key, value: Buffer.from(encodeObject(object)), revision, created: revision, derived: undefined };
}

/** As often as kube-apiserver. */
const maxNameAttempts = 8;
