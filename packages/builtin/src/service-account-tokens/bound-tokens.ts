import {
  type Authenticated,
  type CacheEntry,
  decodeObject,
  type FailedAuthentication,
  type Identification,
  leewayMs,
  type ObjectRegistry,
  refused,
  type TimeProblem,
  type TokenAuthenticator,
  timeProblem,
} from '@tsukube/apiserver';
import { type JsonObject, metadataOf, textIn } from '@tsukube/machinery';
import { accountUser, type BoundReference, type PrivateClaims, readPrivateClaims } from './claims.ts';
import { type GoodSignature, type SignedTokenOptions, signedTokens } from './signed-tokens.ts';

/** Authenticates tokens of the TokenRequest API, valid while the account and the bound object exist. */
export function boundTokens(options: SignedTokenOptions, find: FindObject, now: () => number): TokenAuthenticator {
  return signedTokens(options, (good) => {
    const bound = readPrivateClaims(good.claims);
    if (!bound) return refused('the claims of the token cannot be read');
    const required = requiredObjects(bound);
    const recheck = (): Identification | Promise<Identification> => {
      const time = now();
      const invalidTime = timeProblem(good.claims, time);
      if (invalidTime) return refused(timeProblems[invalidTime]);
      const problem = checkAll(required, 0, find, time - leewayMs);
      return problem instanceof Promise ? problem.then((known) => known ?? current()) : (problem ?? current());
    };
    const identity: Authenticated = { user: userOf(bound, good), audiences: good.audiences, recheck };
    const current = (): Identification => (isStale(bound, now()) ? withStaleAnnotation(identity, bound, good, now()) : identity);
    return recheck();
  });
}

const timeProblems: Readonly<Record<TimeProblem, string>> = {
  expired: 'service account token has expired',
  'not valid yet': 'service account token is not valid yet',
  'issued in the future': 'service account token is issued in the future',
};

function userOf({ namespace, account, pod, node }: PrivateClaims, { claims }: GoodSignature) {
  const tokenId = textIn(claims, 'jti');
  return accountUser({ namespace, ...account, ...(pod && { pod }), ...(node && { node }), tokenId });
}

/** An object that has to exist with this uid. */
interface RequiredObject {
  readonly kind: BoundKind;
  readonly namespace: string;
  readonly reference: BoundReference;
  problem(found: FoundObject | undefined, deletedBefore: number): string | undefined;
}

/** A token bound to a pod names the node but does not depend on it. */
function requiredObjects(bound: PrivateClaims): readonly RequiredObject[] {
  const { namespace, account, secret, pod, node } = bound;
  const found = [requiredAccount(namespace, account)];
  if (secret) found.push(requiredObject('secrets', namespace, secret, 'secret'));
  if (pod) found.push(requiredObject('pods', namespace, pod, 'pod'));
  if (node && !pod) found.push(requiredObject('nodes', '', node, 'node'));
  return found;
}

function requiredAccount(namespace: string, reference: BoundReference): RequiredObject {
  const { name, uid } = reference;
  return {
    kind: 'serviceaccounts',
    namespace,
    reference,
    problem(found, deletedBefore) {
      if (!found) return `serviceaccounts "${name}" not found`;
      if (found.uid !== uid) return `service account UID (${found.uid}) does not match claim (${uid})`;
      return isDeleted(found, deletedBefore) ? `service account ${namespace}/${name} has been deleted` : undefined;
    },
  };
}

function requiredObject(kind: BoundKind, namespace: string, reference: BoundReference, singular: string): RequiredObject {
  const { uid } = reference;
  return {
    kind,
    namespace,
    reference,
    problem(found, deletedBefore) {
      if (!found) return 'service account token has been invalidated';
      if (found.uid !== uid)
        return `${singular} UID (${found.uid}) does not match service account ${singular} ref claim (${uid})`;
      return isDeleted(found, deletedBefore) ? 'service account token has been invalidated' : undefined;
    },
  };
}

function isDeleted({ deletedAt }: FoundObject, before: number): boolean {
  return deletedAt !== undefined && deletedAt < before;
}

/** The error of the first missing or replaced object; undefined if there is none. */
function checkAll(
  all: readonly RequiredObject[],
  from: number,
  find: FindObject,
  deletedBefore: number,
): FailedAuthentication | undefined | Promise<FailedAuthentication | undefined> {
  for (let i = from; i < all.length; i++) {
    const { kind, namespace, reference, problem } = all[i] as RequiredObject;
    const found = find(kind, namespace, reference.name);
    if (found instanceof Promise)
      return found.then((later) => refusal(problem(later, deletedBefore)) ?? checkAll(all, i + 1, find, deletedBefore));
    const failure = refusal(problem(found, deletedBefore));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function refusal(problem: string | undefined): FailedAuthentication | undefined {
  return problem === undefined ? undefined : refused(problem);
}

function isStale({ warnAfter }: PrivateClaims, now: number): boolean {
  return warnAfter !== undefined && now > warnAfter * 1000;
}

/** Adds an audit annotation if the token is used after warnAfter. */
function withStaleAnnotation(
  identity: Authenticated,
  { warnAfter = 0 }: PrivateClaims,
  { claims }: GoodSignature,
  now: number,
): Authenticated {
  const seconds = Math.floor(now / 1000) - warnAfter;
  const text = `subject: ${textIn(claims, 'sub')}, seconds after warning threshold: ${seconds}`;
  return { ...identity, annotations: { 'authentication.k8s.io/stale-token': text } };
}

/** The kinds of objects a token can be bound to. */
export type BoundKind = 'serviceaccounts' | 'secrets' | 'pods' | 'nodes';

export interface FoundObject {
  readonly entry: CacheEntry;
  readonly object: JsonObject;
  readonly uid: string;
  /** The deletionTimestamp. */
  readonly deletedAt: number | undefined;
}

/** Looks up objects in the cache, then in the store. Synchronous on a cache hit. */
export type FindObject = (
  kind: BoundKind,
  namespace: string,
  name: string,
) => FoundObject | undefined | Promise<FoundObject | undefined>;

export function objectFinder(registryOf: (kind: BoundKind) => ObjectRegistry | undefined): FindObject {
  const read = new WeakMap<CacheEntry, FoundObject>();
  const found = (entry: CacheEntry | undefined): FoundObject | undefined => {
    if (!entry) return undefined;
    const known = read.get(entry) ?? readEntry(entry);
    read.set(entry, known);
    return known;
  };
  const find: FindObject = (kind, namespace, name) => {
    const registry = registryOf(kind);
    if (!registry) return undefined;
    const { cache } = registry;
    const loading = cache.loaded();
    if (loading) return loading.then(() => find(kind, namespace, name));
    const key = registry.key(namespace, name);
    const entry = cache.peek(key);
    if (entry) return found(entry);
    return cache
      .fresh()
      ?.then(() => cache.get(key))
      .then(found);
  };
  return find;
}

function readEntry(entry: CacheEntry): FoundObject {
  const object = decodeObject(entry.value);
  const metadata = metadataOf(object);
  const deleted = textIn(metadata, 'deletionTimestamp');
  return { entry, object, uid: textIn(metadata, 'uid'), deletedAt: deleted === '' ? undefined : Date.parse(deleted) };
}
