import type { User } from '@tsukube/apiserver';
import { isObject, type JsonObject, type JsonValue, textIn } from '@tsukube/machinery';

export interface BoundReference {
  readonly name: string;
  readonly uid: string;
}

/** The `kubernetes.io` claim. */
export interface PrivateClaims {
  readonly namespace: string;
  readonly account: BoundReference;
  readonly pod?: BoundReference;
  readonly secret?: BoundReference;
  readonly node?: BoundReference;
  /** Unix time after which the token should have been refreshed; it is still accepted. */
  readonly warnAfter?: number;
}

export interface TokenTerms extends PrivateClaims {
  readonly id: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly issuedAt: number;
}

const member = 'kubernetes.io';

/** Claims in alphabetical order, as Kubernetes writes them. */
export function boundClaims(terms: TokenTerms, issuer: string): JsonObject {
  const { namespace, account, pod, secret, node, warnAfter } = terms;
  const bound: JsonObject = { namespace };
  if (node) bound.node = reference(node);
  if (pod) bound.pod = reference(pod);
  if (secret) bound.secret = reference(secret);
  bound.serviceaccount = reference(account);
  if (warnAfter !== undefined) bound.warnafter = warnAfter;
  return {
    aud: [...terms.audiences],
    exp: terms.issuedAt + terms.expirationSeconds,
    iat: terms.issuedAt,
    iss: issuer,
    jti: terms.id,
    [member]: bound,
    nbf: terms.issuedAt,
    sub: accountUsername(namespace, account.name),
  };
}

function reference({ name, uid }: BoundReference): JsonObject {
  return uid === '' ? { name } : { name, uid };
}

/** Undefined if a claim has the wrong type. */
export function readPrivateClaims(claims: JsonObject): PrivateClaims | undefined {
  const bound = claims[member];
  if (!isObject(bound)) return undefined;
  const account = readReference(bound.serviceaccount);
  if (!account) return undefined;
  const optional = (name: string): Partial<PrivateClaims> => {
    const found = readReference(bound[name]);
    return found ? { [name]: found } : {};
  };
  const warn = typeof bound.warnafter === 'number' && bound.warnafter !== 0 ? { warnAfter: bound.warnafter } : {};
  return {
    namespace: textIn(bound, 'namespace'),
    account,
    ...optional('pod'),
    ...optional('secret'),
    ...optional('node'),
    ...warn,
  };
}

function readReference(value: JsonValue | undefined): BoundReference | undefined {
  return isObject(value) ? { name: textIn(value, 'name'), uid: textIn(value, 'uid') } : undefined;
}

export const legacyIssuer = 'kubernetes/serviceaccount';

export interface LegacyClaims {
  readonly subject: string;
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  readonly uid: string;
}

/** The claims of a legacy (Secret-based) token. */
export function legacyClaims({ namespace, secret, account, uid }: Omit<LegacyClaims, 'subject'>): JsonObject {
  return {
    iss: legacyIssuer,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret,
    'kubernetes.io/serviceaccount/service-account.name': account,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: accountUsername(namespace, account),
  };
}

export function readLegacyClaims(claims: JsonObject): LegacyClaims {
  return {
    subject: textIn(claims, 'sub'),
    namespace: textIn(claims, 'kubernetes.io/serviceaccount/namespace'),
    secret: textIn(claims, 'kubernetes.io/serviceaccount/secret.name'),
    account: textIn(claims, 'kubernetes.io/serviceaccount/service-account.name'),
    uid: textIn(claims, 'kubernetes.io/serviceaccount/service-account.uid'),
  };
}

const userPrefix = 'system:serviceaccount:';
const credentialId = 'authentication.kubernetes.io/credential-id';

export function accountUsername(namespace: string, name: string): string {
  return `${userPrefix}${namespace}:${name}`;
}

/** The service account of a token, with pod and node if it is bound to them. */
export interface AccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid: string };
  /** The `jti` claim. */
  readonly tokenId?: string;
}

export function accountUser({ namespace, name, uid, pod, node, tokenId }: AccountIdentity): User {
  const extra: Record<string, readonly string[]> = {};
  if (pod) extra['authentication.kubernetes.io/pod-name'] = [pod.name];
  if (pod) extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  if (tokenId) extra[credentialId] = [credentialIdOf(tokenId)];
  if (node) extra['authentication.kubernetes.io/node-name'] = [node.name];
  if (node?.uid) extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const user = { name: accountUsername(namespace, name), uid, groups };
  return Object.keys(extra).length === 0 ? user : { ...user, extra };
}

export function credentialIdOf(tokenId: string): string {
  return `JTI=${tokenId}`;
}
