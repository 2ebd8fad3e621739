import { firstTokenOf, forApiAudiences, type Logger, type ObjectRegistry, type TokenAuthenticator } from '@tsukube/apiserver';
import { type BoundKind, bootstrapTokens, boundTokens, lastUsedTracker, legacyTokens, objectFinder } from '@tsukube/builtin';
import type { ServeOptions } from '../config/index.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import { readTokenFile } from './token-file.ts';

export interface TokenParts {
  readonly options: ServeOptions;
  readonly serviceAccounts: ServiceAccountTokens;
  readonly registryOf: (kind: BoundKind) => ObjectRegistry | undefined;
  readonly logger: Logger;
}

export interface Tokens {
  readonly authenticate: TokenAuthenticator;
  stop(): void;
}

/** Everyone who can say whose a token is: first those who know by themselves, then those who have to ask. */
export function tokenAuthenticator({ options, serviceAccounts, registryOf, logger }: TokenParts): Tokens {
  const { keys, issuers, apiAudiences } = serviceAccounts;
  const find = objectFinder(registryOf);
  const onUse = lastUsedTracker(() => registryOf('secrets'), Date.now, logger);
  const authenticators = [
    ...fileTokens(options.tokenAuthFile, apiAudiences),
    legacyTokens({ keys, apiAudiences, lookup: options.serviceAccountLookup, onUse }, find),
    boundTokens({ keys, issuers, apiAudiences }, find, Date.now),
  ];
  if (options.enableBootstrapTokenAuth) authenticators.push(forApiAudiences(apiAudiences, bootstrapTokens(find, Date.now)));
  return { authenticate: firstTokenOf(authenticators), stop: () => {} };
}

function fileTokens(path: string | undefined, apiAudiences: readonly string[]): TokenAuthenticator[] {
  if (path === undefined) return [];
  const users = readTokenFile(path);
  const known: TokenAuthenticator = (token) => {
    const user = users.get(token);
    return user && { user };
  };
  return [forApiAudiences(apiAudiences, known)];
}
