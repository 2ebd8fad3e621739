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

/** Options for all tokens signed by this server. */
export interface SignedTokenOptions {
  readonly issuers: readonly string[];
  readonly keys: readonly VerificationKey[];
  readonly apiAudiences: readonly string[];
}

/** A token with a valid signature, issuer and audience. */
export interface GoodSignature {
  readonly token: string;
  readonly claims: JsonObject;
  readonly audiences: readonly string[];
  /** The token has no audience, as legacy tokens. */
  readonly anyAudience: boolean;
}

/** Verifies tokens of the issuers; `identify` maps the claims to a user and checks revocation. */
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

/** A list of strings as Go prints it with %q. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
