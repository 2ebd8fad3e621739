import {
  type AccessAttributes,
  type AccessRules,
  type Authorizer,
  type CacheCalls,
  cacheCalls,
  type EntryMessage,
  type Identification,
  type JobState,
  type ObjectRegistry,
  type Resource,
  type TokenAuthenticator,
  type User,
  type Verdict,
} from '@tsukube/apiserver';
import type { RoleRules } from '@tsukube/builtin';
import type { CustomApi } from '@tsukube/crds';
import type { JsonObject } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';

/** The result of token authentication, without its recheck. */
export type IdentificationMessage = Identification extends infer I
  ? I extends unknown
    ? Omit<I & object, 'recheck'>
    : never
  : never;

/** Calls from workers to the main thread. */
export interface WorkerCalls extends CacheCalls {
  storeGet(key: string): Promise<EntryMessage | undefined>;
  storeCreate(key: string, value: Uint8Array): Promise<EntryMessage>;
  storeUpdate(key: string, value: Uint8Array, expected: number): Promise<EntryMessage>;
  authorize(access: AccessAttributes): Promise<Verdict>;
  rulesFor(user: User, namespace: string): Promise<AccessRules>;
  roleOf(reference: JsonObject | undefined, namespace: string): ReturnType<RoleRules['roleOf']>;
  grantedTo(user: User, namespace: string): ReturnType<RoleRules['grantedTo']>;
  authenticate(token: string, audiences: readonly string[] | undefined): Promise<IdentificationMessage | undefined>;
}

export interface WorkerCallParts {
  readonly registries: ReadonlyMap<Resource, ObjectRegistry>;
  readonly custom: CustomApi | undefined;
  readonly store: Store;
  readonly authorizer: Authorizer;
  readonly roles: RoleRules;
  readonly reviewToken: TokenAuthenticator;
}

/** Identifies a cache across threads. */
export function cacheName({ hub, names }: Resource): string {
  return `${hub.group}/${names.plural}`;
}

export function customCacheName({ hub, names }: Resource): string {
  return `${hub.group}/${names.plural}/${hub.version}`;
}

/** Answers workers from the caches, store and authorizer of this thread. */
export function workerCalls(parts: WorkerCallParts, jobs: JobState): WorkerCalls {
  const { custom, store, authorizer, roles } = parts;
  const builtIn = new Map([...parts.registries.values()].map((registry) => [cacheName(registry.resource), registry.cache]));
  const customCache = (name: string) => {
    const [group = '', plural = '', version = ''] = name.split('/');
    return custom?.objects(group, plural, version)?.cache;
  };
  return {
    ...cacheCalls((name) => builtIn.get(name) ?? customCache(name), jobs.isCancelled, jobs.onWrite),
    async storeGet(key) {
      const entry = await store.get(key);
      return entry && { ...entry, value: new Uint8Array(entry.value) };
    },
    storeCreate: async (key, value) => ({ ...(await store.create(key, value)), value: new Uint8Array(value) }),
    storeUpdate: async (key, value, expected) => ({
      ...(await store.update(key, value, expected)),
      value: new Uint8Array(value),
    }),
    authorize: async (access) => authorizer.authorize(access),
    rulesFor: async (user, namespace) => authorizer.rulesFor(user, namespace),
    roleOf: (reference, namespace) => roles.roleOf(reference, namespace),
    grantedTo: (user, namespace) => roles.grantedTo(user, namespace),
    async authenticate(token, audiences) {
      const found = await parts.reviewToken(token, audiences);
      if (!found || 'refused' in found) return found;
      const { recheck: _, ...message } = found;
      return message;
    },
  };
}
