import { goQuote, type JsonObject } from '@tsukube/machinery';
import type { CompactToken } from '../jwt/compact.ts';
import { audiencesOf, leewayMs, millisecondsOf } from '../jwt/times.ts';
import type { KeySet } from './key-set.ts';

export interface IdTokenRules {
  readonly audiences: readonly string[];
  readonly signingAlgorithms: readonly string[];
  readonly now: () => number;
}

/** Checks all that can be wrong with a token but its issuer. Fails with an Error that says what is. */
export async function verifyIdToken(token: CompactToken, keys: KeySet, rules: IdTokenRules): Promise<void> {
  checkAlgorithm(token, rules.signingAlgorithms);
  await keys.verify(token);
  checkAudience(token.claims, rules.audiences);
  checkTimes(token.claims, rules.now());
}

/** Google says it without the scheme, against the rules. */
export function issuerOf({ iss }: JsonObject): string | undefined {
  if (iss === 'accounts.google.com') return 'https://accounts.google.com';
  return typeof iss === 'string' ? iss : undefined;
}

function checkAlgorithm({ header }: CompactToken, supported: readonly string[]): void {
  if (typeof header.alg === 'string' && supported.includes(header.alg)) return;
  const names = supported.map(goQuote).join(' ');
  throw new Error(
    `oidc: id token signed with unsupported algorithm, expected [${names}] got ${goQuote(String(header.alg ?? ''))}`,
  );
}

function checkAudience({ aud }: JsonObject, audiences: readonly string[]): void {
  const named = audiencesOf(aud);
  if (named === undefined) throw new Error('oidc: failed to unmarshal claims');
  if (named.some((audience) => audiences.includes(audience))) return;
  const wanted = audiences.length === 1 ? goQuote(audiences[0] as string) : `in [${audiences.map(goQuote).join(' ')}]`;
  throw new Error(`oidc: expected audience ${wanted} got [${named.map(goQuote).join(' ')}]`);
}

/** A token must end; there is no leeway for that, but a minute for one that has not begun. */
function checkTimes({ exp, nbf }: JsonObject, now: number): void {
  const expiry = millisecondsOf(exp) ?? 0;
  if (expiry < now) throw new Error(`oidc: token is expired (Token Expiry: ${new Date(expiry).toISOString()})`);
  const notBefore = millisecondsOf(nbf);
  if (notBefore !== undefined && now + leewayMs < notBefore)
    throw new Error('oidc: current time is before the nbf (not before) time');
}
