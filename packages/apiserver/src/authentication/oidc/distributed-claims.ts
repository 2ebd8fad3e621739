import { isObject, type JsonObject, textIn } from '@tsukube/machinery';
import type { Logger } from '../../logger.ts';
import { parseCompact } from '../jwt.ts';
import { issuerClient } from './issuer-client.ts';
import { type IdTokenRules, tokenIssuer, verifyIdToken } from './jwt-authenticator.ts';
import { openProvider, type Provider } from './provider.ts';

export interface DistributedClaimOptions extends IdTokenRules {
  /** The claim that may be distributed. */
  readonly claim: string;
  readonly certificateAuthority?: string;
  readonly logger: Logger;
}

export interface DistributedClaims {
  /** Resolves with the claim added. Rejects if it cannot be fetched. */
  expand(claims: JsonObject): Promise<JsonObject>;
  stop(): void;
}

/** Limits the issuers that claim endpoints can name. */
const maxProviders = 16;

/** Resolves distributed claims: fetches a signed token from the endpoint in `_claim_sources`. */
export function distributedClaims(options: DistributedClaimOptions): DistributedClaims {
  const { claim, certificateAuthority: ca, logger } = options;
  const providers = new Map<string, Provider>();
  const client = issuerClient(ca);
  const providerOf = (url: string): Provider => {
    const known = providers.get(url);
    if (known) return known;
    if (providers.size >= maxProviders) throw new Error(`there are too many issuers of the claim "${claim}"`);
    const opened = openProvider(
      { url, audiences: [], ...(ca !== undefined && { certificateAuthority: ca }) },
      options.now,
      logger,
    );
    providers.set(url, opened);
    return opened;
  };
  const fetchClaim = async (source: JsonObject): Promise<JsonObject> => {
    const [endpoint, token] = [textIn(source, 'endpoint'), textIn(source, 'access_token')];
    const { status, text } = await client.get(endpoint, token === '' ? undefined : `Bearer ${token}`);
    if (status < 200 || status > 226) throw new Error(`error while getting distributed claim JWT: ${status}`);
    const parsed = parseCompact(text.trim());
    const issuer = parsed && tokenIssuer(parsed.claims);
    if (!parsed || issuer === undefined)
      throw new Error(`getting untrusted issuer from endpoint ${endpoint} failed for claim "${claim}"`);
    const provider = providerOf(issuer);
    await provider.initialized;
    const keys = provider.keys();
    if (!keys) throw new Error(`verifier not initialized for issuer: "${issuer}"`);
    await verifyIdToken(parsed, keys, options);
    return parsed.claims;
  };
  return {
    async expand(claims) {
      const source = sourceOf(claims, claim);
      if (!source) return claims;
      const found = await fetchClaim(source);
      const value = found[claim];
      if (value === undefined)
        throw new Error(
          `jwt returned by distributed claim endpoint "${String(source.endpoint)}" did not contain claim: ${claim}`,
        );
      return { ...claims, [claim]: value };
    },
    stop() {
      for (const provider of providers.values()) provider.stop();
      client.close();
    },
  };
}

/** The source of a distributed claim; undefined if the claim is present or has no source. */
function sourceOf(claims: JsonObject, claim: string): JsonObject | undefined {
  const { _claim_names: names, _claim_sources: sources } = claims;
  if (claims[claim] !== undefined || names === undefined) return undefined;
  if (!isObject(names)) throw new Error('oidc: error parsing distributed claim names');
  if (!isObject(sources)) throw new Error('oidc: no claim sources');
  const name = Object.hasOwn(names, claim) ? names[claim] : undefined;
  if (name === undefined) return undefined;
  const source = typeof name === 'string' && Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (!isObject(source)) throw new Error(`id token _claim_names contained a source ${String(name)} missing in _claims_sources`);
  return source.endpoint ? source : undefined;
}
