import { isObject, type JsonObject, type JsonValue, parseJson } from '@tsukube/machinery';

/** A parsed JWS in compact serialization. Untrusted until the signature is verified. */
export interface CompactToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** The signing input. */
  readonly signed: string;
  readonly signature: Buffer;
}

const base64url = /^[\w-]*$/;

/** Undefined if the token is malformed. */
export function parseCompact(token: string): CompactToken | undefined {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first < 1 || second < 0 || token.indexOf('.', second + 1) >= 0) return undefined;
  const header = objectIn(token.slice(0, first));
  const claims = header && objectIn(token.slice(first + 1, second));
  const signature = decode(token.slice(second + 1));
  if (!claims || !signature || isUnsupported(header)) return undefined;
  return { header, claims, signed: token.slice(0, second), signature };
}

/** Critical extensions and unencoded payloads are not supported. */
function isUnsupported(header: JsonObject): boolean {
  return header.crit !== undefined || header.b64 !== undefined;
}

function objectIn(part: string): JsonObject | undefined {
  const bytes = decode(part);
  if (!bytes) return undefined;
  try {
    const { value, duplicates } = parseJson(bytes);
    // Duplicate keys are rejected, because parsers disagree on which one wins.
    return isObject(value) && duplicates.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function decode(part: string): Buffer | undefined {
  return base64url.test(part) && part.length % 4 !== 1 ? Buffer.from(part, 'base64url') : undefined;
}

/** The signing input of header and claims. */
export function compactParts(header: JsonObject, claims: JsonObject): string {
  return `${encode(header)}.${encode(claims)}`;
}

function encode(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Allowed clock skew. */
export const leewayMs = 60_000;

export type TimeProblem = 'expired' | 'not valid yet' | 'issued in the future';

/** The first time claim that fails, in Kubernetes' order. */
export function timeProblem({ nbf, exp, iat }: JsonObject, now: number): TimeProblem | undefined {
  const [notBefore, expiry, issued] = [millisecondsOf(nbf), millisecondsOf(exp), millisecondsOf(iat)];
  if (notBefore !== undefined && now + leewayMs < notBefore) return 'not valid yet';
  if (expiry !== undefined && now - leewayMs > expiry) return 'expired';
  return issued !== undefined && now + leewayMs < issued ? 'issued in the future' : undefined;
}

/** Converts a NumericDate to milliseconds; fractions are dropped. */
export function millisecondsOf(seconds: JsonValue | undefined): number | undefined {
  if (typeof seconds !== 'number' && typeof seconds !== 'bigint') return undefined;
  return Math.trunc(Number(seconds)) * 1000;
}

/** Whether the registered claims have valid types. */
export function hasReadableClaims(claims: JsonObject): boolean {
  const { aud, exp, nbf, iat, iss, sub, jti } = claims;
  return [exp, nbf, iat].every(isNumberOrAbsent) && [iss, sub, jti].every(isTextOrAbsent) && audiencesOf(aud) !== undefined;
}

/** Undefined if it is neither a string nor a list of strings. */
export function audiencesOf(aud: JsonValue | undefined): readonly string[] | undefined {
  if (aud === undefined || aud === null) return [];
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) && aud.every((each) => typeof each === 'string') ? aud : undefined;
}

function isNumberOrAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || millisecondsOf(value) !== undefined;
}

function isTextOrAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}
