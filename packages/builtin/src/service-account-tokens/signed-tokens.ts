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
  return (token, requested) => {
    const parsed = parseCompact(token);
    if (!parsed || !isFrom(parsed.claims, options.issuers)) return undefined;
    const problem = verificationProblem(parsed, options.keys);
    if (problem !== undefined) return refused(problem);
    const declared = audiencesOf(parsed.claims.aud) ?? [];
    const tokenAudiences = declared.length === 0 ? options.apiAudiences : declared;
    const target = requested ?? options.apiAudiences;
    const audiences = commonAudiences(tokenAudiences, target);
    if (audiences.length === 0 && options.apiAudiences.length > 0)
      return refused(`token audiences ${quoted(tokenAudiences)} is invalid for the target audiences ${quoted(target)}`);
    return identify({ token, claims: parsed.claims, audiences, anyAudience: declared.length === 0 });
  };
}

function isFrom({ iss }: JsonObject, issuers: readonly string[]): boolean {
  return typeof iss === 'string' && issuers.includes(iss);
}

function verificationProblem(token: CompactToken, keys: readonly VerificationKey[]): string | undefined {
  const { kid } = token.header;
  const candidates = typeof kid === 'string' && kid !== '' ? keys.filter(({ id }) => id === kid) : keys;
  if (candidates.length === 0) return 'invalid signature, no keys found';
  const problem = signatureProblem(token, candidates);
  if (problem !== undefined) return problem;
  return hasReadableClaims(token.claims) ? undefined : 'the claims of the token cannot be read';
}

/** A list of strings as Go prints it with %q. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
