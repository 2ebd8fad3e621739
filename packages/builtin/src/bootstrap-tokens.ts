import { timingSafeEqual } from 'node:crypto';
import type { Identification, TokenAuthenticator } from '@tsukube/apiserver';
import { type JsonObject, objectIn, textIn } from '@tsukube/machinery';
import type { FindObject, FoundObject } from './service-account-tokens/bound-tokens.ts';

const tokenForm = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Authenticates bootstrap tokens, which nodes use to join. They are Secrets of kube-system, bootstrap-token-ID. */
export function bootstrapTokens(find: FindObject, now: () => number): TokenAuthenticator {
  return (token) => {
    const [, id, secret] = tokenForm.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const found = find('secrets', 'kube-system', `bootstrap-token-${id}`);
    if (found instanceof Promise) return found.then((later) => identify(later, id, secret, now()));
    return identify(found, id, secret, now());
  };
}

function identify(found: FoundObject | undefined, id: string, secret: string, now: number): Identification {
  if (!found || found.deletedAt !== undefined || textIn(found.object, 'type') !== 'bootstrap.kubernetes.io/token')
    return undefined;
  const data = dataOf(found.object);
  if (!isSame(data('token-secret'), secret) || data('token-id') !== id) return undefined;
  if (hasExpired(data('expiration'), now) || data('usage-bootstrap-authentication') !== 'true') return undefined;
  const groups = groupsOf(data('auth-extra-groups'));
  return groups && { user: { name: `system:bootstrap:${id}`, groups } };
}

function dataOf(object: JsonObject): (key: string) => string {
  const data = objectIn(object, 'data');
  return (key) => Buffer.from(textIn(data, key), 'base64').toString();
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A malformed expiration counts as expired. */
function hasExpired(expiration: string, now: number): boolean {
  return expiration !== '' && !(timeForm.test(expiration) && Date.parse(expiration) > now);
}

/** Sorted, without duplicates; undefined if a group is not allowed for bootstrap tokens. */
function groupsOf(extra: string): readonly string[] | undefined {
  const named = extra === '' ? [] : extra.split(',');
  if (!named.every((group) => groupForm.test(group))) return undefined;
  return [...new Set(['system:bootstrappers', ...named])].sort();
}
