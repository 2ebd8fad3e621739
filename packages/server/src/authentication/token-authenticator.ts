import { readFileSync } from 'node:fs';
import {
  type Logger,
  type ObjectRegistry,
  type TokenAuthenticator,
  type User,
  unionTokenAuthenticator,
  withApiAudiences,
} from '@tsukube/apiserver';
import { type BoundKind, bootstrapTokens, boundTokens, lastUsedTracker, legacyTokens, objectFinder } from '@tsukube/builtin';
import type { ServeOptions } from '../config/index.ts';
import { type JwtTokens, openJwtTokens } from './jwt-tokens.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import { openTokenWebhook } from './token-webhook.ts';

export interface TokenParts {
  readonly options: ServeOptions;
  readonly serviceAccounts: ServiceAccountTokens;
  readonly registryOf: (kind: BoundKind) => ObjectRegistry | undefined;
  readonly logger: Logger;
}

export interface Tokens {
  readonly authenticate: TokenAuthenticator;
  /** The `anonymous` settings of the AuthenticationConfiguration, if any. */
  readonly anonymous: JwtTokens['anonymous'];
  stop(): void;
}

/** All token authenticators: local ones first, webhooks last. */
export async function tokenAuthenticator({ options, serviceAccounts, registryOf, logger }: TokenParts): Promise<Tokens> {
  const { keys, issuers, apiAudiences } = serviceAccounts;
  const find = objectFinder(registryOf);
  const onUse = lastUsedTracker(() => registryOf('secrets'), Date.now, logger);
  const authenticators = [
    ...fileTokens(options.tokenAuthFile, apiAudiences),
    legacyTokens({ keys, apiAudiences, lookup: options.serviceAccountLookup, onUse }, find),
    boundTokens({ keys, issuers, apiAudiences }, find, Date.now),
  ];
  if (options.enableBootstrapTokenAuth) authenticators.push(withApiAudiences(apiAudiences, bootstrapTokens(find, Date.now)));
  const jwt = await openJwtTokens(options, serviceAccounts, logger);
  authenticators.push(jwt.authenticate);
  const { authenticationTokenWebhookConfigFile: path } = options;
  const webhook = path === undefined ? undefined : await openTokenWebhook(path, options, apiAudiences);
  if (webhook) authenticators.push(webhook.authenticate);
  const stop = () => {
    jwt.stop();
    webhook?.stop();
  };
  return { authenticate: unionTokenAuthenticator(authenticators), anonymous: jwt.anonymous, stop };
}

function fileTokens(path: string | undefined, apiAudiences: readonly string[]): TokenAuthenticator[] {
  if (path === undefined) return [];
  const users = readTokenFile(path);
  const known: TokenAuthenticator = (token) => {
    const user = users.get(token);
    return user && { user };
  };
  return [withApiAudiences(apiAudiences, known)];
}

/** Reads --token-auth-file: lines of token, user, UID and optional quoted groups. */
function readTokenFile(path: string): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  for (const [i, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [token = '', name = '', uid = '', groups = ''] = fields(line);
    if (token === '' || name === '') throw new Error(`${path}:${i + 1}: expected token, user and uid`);
    const listed = groups === '' ? [] : groups.split(',').map((group) => group.trim());
    users.set(token, { name, uid, groups: listed });
  }
  return users;
}

/** CSV: quoted fields may contain commas and doubled quotes. */
function fields(line: string): string[] {
  const found = line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g);
  return [...found].map(([, quoted, plain]) => (quoted !== undefined ? quoted.replaceAll('""', '"') : (plain ?? '').trim()));
}
