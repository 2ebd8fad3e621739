import { timingSafeEqual } from 'node:crypto';
import {
  type Authenticated,
  asServer,
  type Identification,
  type Logger,
  type ObjectRegistry,
  refused,
  type TokenAuthenticator,
  updateExisting,
} from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, metadataOf, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import type { FindObject, FoundObject } from './bound-tokens.ts';
import { accountUser, accountUsername, type LegacyClaims, legacyIssuer, readLegacyClaims } from './claims.ts';
import { type GoodSignature, type SignedTokenOptions, signedTokens } from './signed-tokens.ts';

const invalidSince = 'kubernetes.io/legacy-token-invalid-since';

export interface LegacyTokenOptions extends Omit<SignedTokenOptions, 'issuers'> {
  /** Whether Secret and ServiceAccount have to exist (--service-account-lookup). */
  readonly lookup: boolean;
  /** Called with the Secret of every token that is used. */
  readonly onUse: (secret: FoundObject) => void;
}

/** Authenticates legacy (Secret-based) tokens, valid while Secret and account exist. */
export function legacyTokens(options: LegacyTokenOptions, find: FindObject): TokenAuthenticator {
  return signedTokens({ ...options, issuers: [legacyIssuer] }, (good) => {
    const claims = readLegacyClaims(good.claims);
    const missing = missingClaim(claims);
    if (missing !== undefined) return refused(missing);
    const identity = identityOf(claims, good);
    return options.lookup ? lookupWith(identity, claims, good.token, options, find)() : identity;
  });
}

function missingClaim(claims: LegacyClaims): string | undefined {
  if (claims.subject === '') return 'sub claim is missing';
  if (claims.namespace === '') return 'namespace claim is missing';
  if (claims.secret === '') return 'secretName claim is missing';
  if (claims.account === '') return 'serviceAccountName claim is missing';
  if (claims.uid === '') return 'serviceAccountUID claim is missing';
  return claims.subject === accountUsername(claims.namespace, claims.account) ? undefined : 'sub claim is invalid';
}

function identityOf({ namespace, account, uid }: LegacyClaims, good: GoodSignature): Authenticated {
  const user = accountUser({ namespace, name: account, uid });
  const annotations = { 'authentication.k8s.io/legacy-token': textIn(good.claims, 'sub') };
  return { user, audiences: good.audiences, ...(good.anyAudience && { annotations }) };
}

/** Looks up the objects; caches the result until they change. */
function lookupWith(
  identity: Authenticated,
  claims: LegacyClaims,
  token: string,
  { onUse }: LegacyTokenOptions,
  find: FindObject,
): () => Identification | Promise<Identification> {
  let last: { secret: FoundObject; account: FoundObject; verdict: Identification } | undefined;
  const decide = (secret: FoundObject | undefined, account: FoundObject | undefined): Identification => {
    if (secret && account && last?.secret === secret && last.account === account) {
      onUse(secret);
      return last.verdict;
    }
    const problem = secretProblem(secret, token) ?? accountProblem(account, claims);
    if (problem !== undefined) return refused(problem);
    const [stored, owner] = [secret as FoundObject, account as FoundObject];
    onUse(stored);
    const verdict = withUsage({ ...identity, recheck }, stored, owner, claims);
    last = { secret: stored, account: owner, verdict };
    return verdict;
  };
  const recheck = (): Identification | Promise<Identification> => {
    const secret = find('secrets', claims.namespace, claims.secret);
    const account = find('serviceaccounts', claims.namespace, claims.account);
    if (!(secret instanceof Promise) && !(account instanceof Promise)) return decide(secret, account);
    return Promise.all([secret, account]).then(([later, owner]) => decide(later, owner));
  };
  return recheck;
}

function secretProblem(secret: FoundObject | undefined, token: string): string | undefined {
  if (!secret || secret.deletedAt !== undefined) return 'Token has been invalidated';
  const stored = Buffer.from(textIn(objectIn(secret.object, 'data'), 'token'), 'base64');
  const presented = Buffer.from(token);
  const isEqual = stored.length === presented.length && timingSafeEqual(stored, presented);
  return isEqual ? undefined : "Token does not match server's copy";
}

function accountProblem(account: FoundObject | undefined, claims: LegacyClaims): string | undefined {
  if (!account) return `serviceaccounts "${claims.account}" not found`;
  if (account.deletedAt !== undefined) return `ServiceAccount ${claims.namespace}/${claims.account} has been deleted`;
  if (account.uid === claims.uid) return undefined;
  return `ServiceAccount UID (${account.uid}) does not match claim (${claims.uid})`;
}

const autoWarning =
  'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.';

/** Adds audit annotations and warnings about legacy tokens. */
function withUsage(identity: Authenticated, secret: FoundObject, account: FoundObject, claims: LegacyClaims): Identification {
  const { namespace, secret: name, account: owner } = claims;
  if (metadataOf(secret.object).labels?.[invalidSince]) {
    return refused(
      `the token in secret ${namespace}/${name} for service account ${namespace}/${owner} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
    );
  }
  const isAutogenerated = objectsIn(account.object, 'secrets').some((reference) => reference.name === name);
  const key = `authentication.k8s.io/legacy-token-${isAutogenerated ? 'autogenerated' : 'manual'}-secret`;
  const annotations = { ...identity.annotations, [key]: name };
  return { ...identity, annotations, ...(isAutogenerated && { warnings: [autoWarning] }) };
}

const label = 'kubernetes.io/legacy-token-last-used';
const dayMs = 86_400_000;

/** Sets the last-used label of a Secret, at most once a day. */
export function lastUsedTracker(
  secrets: () => ObjectRegistry | undefined,
  now: () => number,
  logger: Logger,
): (secret: FoundObject) => void {
  const writing = new Set<string>();
  return (secret) => {
    const known = metadataOf(secret.object).labels?.[label];
    const today = dayOf(now());
    if (known === today || (known !== undefined && known === dayOf(now() + dayMs))) return;
    const registry = secrets();
    const { key } = secret.entry;
    if (!registry || writing.has(key)) return;
    writing.add(key);
    mark(registry, secret, today)
      .catch((error: unknown) =>
        logger.warn('the last-used label of a token Secret could not be written', { key, error: String(error) }),
      )
      .finally(() => writing.delete(key));
  };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

async function mark(secrets: ObjectRegistry, { object, uid }: FoundObject, today: string): Promise<void> {
  const metadata = metadataOf(object);
  const labelled = (existing: KubeObject): JsonObject => {
    const { metadata: current } = existing;
    return { ...existing, metadata: { ...current, labels: { ...current.labels, [label]: today } } };
  };
  const context = asServer(secrets, textIn(metadata, 'namespace'));
  await updateExisting(secrets, textIn(metadata, 'name'), uid, labelled, context);
}
