import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isObject, type JsonValue } from '@tsukube/machinery';
import type { Logger } from '../../logger.ts';
import type { CompactToken } from '../jwt.ts';
import { checkSignature } from '../jwt-keys.ts';
import type { IssuerConfiguration } from './configuration.ts';
import { type IssuerClient, type IssuerDocument, issuerClient } from './issuer-client.ts';

/** OpenID Connect discovery of an issuer. */
export interface Provider {
  /** Undefined until discovery succeeded. */
  keys(): KeySet | undefined;
  /** Resolves after the first discovery attempt, successful or not. */
  readonly initialized: Promise<void>;
  /** Why the issuer cannot be used; undefined if it can. */
  problem(): string | undefined;
  stop(): void;
}

const retryMs = 10_000;

/** Retries discovery until it succeeds: the issuer may start later, or run on this cluster. */
export function openProvider(issuer: IssuerConfiguration, now: () => number, logger: Logger): Provider {
  let keys: KeySet | undefined;
  let problem: string | undefined = `oidc: authenticator for issuer "${issuer.url}" is not initialized`;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const client = issuerClient(issuer.certificateAuthority);

  const initialize = async (): Promise<void> => {
    try {
      const location = await keysLocation(issuer, client);
      keys = remoteKeySet(() => client.get(location), now);
      problem = undefined;
    } catch (error) {
      problem = (error as Error).message;
      logger.error('OpenID discovery of an issuer failed', { issuer: issuer.url, error: problem });
      if (!stopped) timer = setTimeout(() => void initialize(), retryMs).unref();
    }
  };
  return {
    keys: () => keys,
    initialized: initialize(),
    problem: () => problem,
    stop() {
      stopped = true;
      clearTimeout(timer);
      client.close();
    },
  };
}

async function keysLocation({ url, discoveryURL }: IssuerConfiguration, client: IssuerClient): Promise<string> {
  const wellKnown = discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, text } = await client.get(wellKnown);
  if (status !== 200) throw new Error(`${wellKnown} answered ${status}`);
  const document: JsonValue = JSON.parse(text);
  if (!isObject(document)) throw new Error(`${wellKnown} is not a document`);
  const { issuer, jwks_uri: location } = document;
  if (issuer !== url)
    throw new Error(`oidc: issuer did not match the issuer returned by provider, expected "${url}" got "${String(issuer)}"`);
  if (typeof location !== 'string' || location === '') throw new Error('provider did not return JWKS URL');
  return location;
}

interface RemoteKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Minimum time between fetches, because clients can invent key IDs. */
const minIntervalMs = 1000;

export interface KeySet {
  /** Rejects if no key verifies the signature. Fetches the keys again if they may have been rotated. */
  verify(token: CompactToken): Promise<void>;
}

/** The issuer's JWKS, fetched again for unknown key IDs so that keys can be rotated. */
function remoteKeySet(fetchKeys: () => Promise<IssuerDocument>, now: () => number): KeySet {
  let known: readonly RemoteKey[] = [];
  let staleFrom = 0;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    fetchedAt = now();
    const { status, text, cacheControl } = await fetchKeys();
    if (status !== 200) throw new Error(`oidc: get keys failed: ${status}`);
    known = keysIn(text);
    staleFrom = fetchedAt + maxAgeMs(cacheControl);
  };
  const shared = (): Promise<void> => {
    fetching ??= refresh().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  return {
    async verify(token) {
      if (isSigned(token, known)) return;
      const mayAsk = fetching !== undefined || (now() >= staleFrom && now() - fetchedAt >= minIntervalMs);
      if (mayAsk) {
        await shared().catch((error: Error) => {
          throw new Error(`failed to verify signature: fetching keys ${error.message}`, { cause: error });
        });
        if (isSigned(token, known)) return;
      }
      throw new Error('failed to verify signature: failed to verify id token signature');
    },
  };
}

function isSigned({ header, signed, signature }: CompactToken, keys: readonly RemoteKey[]): boolean {
  const { kid, alg } = header;
  return keys.some(({ id, key }) => (!kid || id === kid) && checkSignature(alg, key, signed, signature) === 'valid');
}

/** Skips keys that are not for signatures or have an unknown type. */
function keysIn(text: string): readonly RemoteKey[] {
  const document: JsonValue = JSON.parse(text);
  const keys = isObject(document) ? document.keys : undefined;
  if (!Array.isArray(keys)) throw new Error('oidc: failed to decode keys');
  return (keys as unknown[]).flatMap((jwk) => keyOf(jwk as JsonWebKey));
}

function keyOf(jwk: JsonWebKey): RemoteKey[] {
  if (jwk?.kty !== 'RSA' && jwk?.kty !== 'EC') return [];
  try {
    return [{ id: typeof jwk.kid === 'string' ? jwk.kid : '', key: createPublicKey({ key: jwk, format: 'jwk' }) }];
  } catch {
    return [];
  }
}

function maxAgeMs(cacheControl: string): number {
  if (/no-store|no-cache/i.test(cacheControl)) return 0;
  const seconds = /max-age=(\d{1,9})/i.exec(cacheControl)?.[1];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
}
