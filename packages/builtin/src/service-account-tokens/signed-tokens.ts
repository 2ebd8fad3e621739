import {
  audiencesOf,
  type CompactToken,
  commonAudiences,
  hasReadableClaims,
  type Identification,
  parseCompact,
  refused,
  signatureProblem,
  type TokenAuthenticator,
  type VerificationKey,
} from '@tsukube/apiserver';
import { goQuote, type JsonObject } from '@tsukube/machinery';

/** What all tokens that we have signed ourselves have in common. */
export interface SignedTokenOptions {
  readonly issuers: readonly string[];
  readonly keys: readonly VerificationKey[];
  readonly apiAudiences: readonly string[];
}

/** A token whose signature is right, from one of the issuers, for one of the audiences. */
export interface GoodSignature {
  readonly token: string;
  readonly claims: JsonObject;
  readonly audiences: readonly string[];
  /** It names no audience, as those kept in secrets do. */
  readonly anyAudience: boolean;
}

/** Looks at tokens of the issuers only; whose it is, and whether it still counts, is for `identify` to say. */
export function signedTokens(
  options: SignedTokenOptions,
  identify: (good: GoodSignature) => Identification | Promise<Identification>,
): TokenAuthenticator {
  return (token, asked) => {
    const parsed = parseCompact(token);
    if (!parsed || !isFrom(parsed.claims, options.issuers)) return undefined;
    const problem = checked(parsed, options.keys);
    if (problem !== undefined) return refused(problem);
    const named = audiencesOf(parsed.claims.aud) ?? [];
    const meantFor = named.length === 0 ? options.apiAudiences : named;
    const wanted = asked ?? options.apiAudiences;
    const audiences = commonAudiences(meantFor, wanted);
    if (audiences.length === 0 && options.apiAudiences.length > 0)
      return refused(`token audiences ${quoted(meantFor)} is invalid for the target audiences ${quoted(wanted)}`);
    return identify({ token, claims: parsed.claims, audiences, anyAudience: named.length === 0 });
  };
}

function isFrom({ iss }: JsonObject, issuers: readonly string[]): boolean {
  return typeof iss === 'string' && issuers.includes(iss);
}

function checked(token: CompactToken, keys: readonly VerificationKey[]): string | undefined {
  const { kid } = token.header;
  const fitting = typeof kid === 'string' && kid !== '' ? keys.filter(({ id }) => id === kid) : keys;
  if (fitting.length === 0) return 'invalid signature, no keys found';
  const problem = signatureProblem(token, fitting);
  if (problem !== undefined) return problem;
  return hasReadableClaims(token.claims) ? undefined : 'the claims of the token cannot be read';
}

/** As Go prints a list of strings in quotes. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
