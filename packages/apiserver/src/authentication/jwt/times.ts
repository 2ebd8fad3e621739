import type { JsonObject, JsonValue } from '@tsukube/machinery';

/** Clocks differ: a token is taken for this long after its time, and before. */
export const leewayMs = 60_000;

export type TimeProblem = 'expired' | 'not valid yet' | 'issued in the future';

/** What is wrong with the times in a token, in the order in which Kubernetes looks at them. */
export function timeProblem({ nbf, exp, iat }: JsonObject, now: number): TimeProblem | undefined {
  const [notBefore, expiry, issued] = [millisecondsOf(nbf), millisecondsOf(exp), millisecondsOf(iat)];
  if (notBefore !== undefined && now + leewayMs < notBefore) return 'not valid yet';
  if (expiry !== undefined && now - leewayMs > expiry) return 'expired';
  return issued !== undefined && now + leewayMs < issued ? 'issued in the future' : undefined;
}

/** A time in seconds, which may have a fraction that does not count. */
export function millisecondsOf(seconds: JsonValue | undefined): number | undefined {
  if (typeof seconds !== 'number' && typeof seconds !== 'bigint') return undefined;
  return Math.trunc(Number(seconds)) * 1000;
}

/** Whether the registered claims are of the types they must have; a token where they are not cannot be read. */
export function hasReadableClaims(claims: JsonObject): boolean {
  const { aud, exp, nbf, iat, iss, sub, jti } = claims;
  return [exp, nbf, iat].every(isNumberOrAbsent) && [iss, sub, jti].every(isTextOrAbsent) && audiencesOf(aud) !== undefined;
}

/** Undefined if it is neither a text nor a list of texts. */
export function audiencesOf(aud: JsonValue | undefined): readonly string[] | undefined {
  if (aud === undefined || aud === null) return [];
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) && aud.every((each) => typeof each === 'string') ? (aud as string[]) : undefined;
}

function isNumberOrAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || millisecondsOf(value) !== undefined;
}

function isTextOrAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}
