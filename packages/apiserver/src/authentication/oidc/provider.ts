import { isObject, type JsonObject } from '@tsukube/machinery';
import type { Logger } from '../../logger.ts';
import type { IssuerConfiguration } from './configuration.ts';
import { type FetchedText, fetchText } from './fetch-text.ts';
import { type KeySet, remoteKeySet } from './key-set.ts';

/** An issuer that tells where its keys are. */
export interface Provider {
  /** Undefined until the issuer has answered. */
  keys(): KeySet | undefined;
  /** Settles once the issuer has been asked for the first time, whatever came of it. */
  readonly asked: Promise<void>;
  /** Why it cannot be used; undefined if it can. */
  problem(): string | undefined;
  stop(): void;
}

const retryMs = 10_000;

/** Asks the issuer where its keys are, again and again until it says so: it may come up after us, or run on top of us. */
export function openProvider(issuer: IssuerConfiguration, now: () => number, logger: Logger): Provider {
  let keys: KeySet | undefined;
  let problem: string | undefined = `oidc: authenticator for issuer "${issuer.url}" is not initialized`;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const fetch = (url: string): Promise<FetchedText> =>
    fetchText(url, issuer.certificateAuthority ? { ca: issuer.certificateAuthority } : {});

  const initialize = async (): Promise<void> => {
    try {
      const location = await keysLocation(issuer, fetch);
      keys = remoteKeySet(() => fetch(location), now);
      problem = undefined;
    } catch (error) {
      problem = (error as Error).message;
      logger.error('an issuer of tokens could not be asked for its keys', { issuer: issuer.url, error: problem });
      if (!stopped) timer = setTimeout(() => void initialize(), retryMs).unref();
    }
  };
  return {
    keys: () => keys,
    asked: initialize(),
    problem: () => problem,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function keysLocation(
  { url, discoveryURL }: IssuerConfiguration,
  fetch: (url: string) => Promise<FetchedText>,
): Promise<string> {
  const wellKnown = discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, text } = await fetch(wellKnown);
  if (status !== 200) throw new Error(`${wellKnown} answered ${status}`);
  const document = JSON.parse(text) as JsonObject;
  if (!isObject(document)) throw new Error(`${wellKnown} is not a document`);
  const { issuer, jwks_uri: location } = document;
  if (issuer !== url)
    throw new Error(`oidc: issuer did not match the issuer returned by provider, expected "${url}" got "${String(issuer)}"`);
  if (typeof location !== 'string' || location === '') throw new Error('provider did not return JWKS URL');
  return location;
}
