import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  type AuthenticationConfiguration,
  type JwtAuthenticator,
  type JwtConfiguration,
  jwtAuthenticator,
  type Logger,
  signingAlgorithms,
  type TokenAuthenticator,
  unionTokenAuthenticator,
  validateConfiguration,
  withApiAudiences,
} from '@tsukube/apiserver';
import { type ServeOptions, UsageError } from '../config/index.ts';
import { watchedFile } from '../files/watched-file.ts';
import { parseAuthenticationConfiguration } from './configuration-file.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

export interface JwtTokens {
  readonly authenticate: TokenAuthenticator;
  /** The `anonymous` settings of the file, if any. */
  readonly anonymous: AuthenticationConfiguration['anonymous'];
  stop(): void;
}

/** Removed issuers are stopped after this time, when requests that use them are done. */
const graceMs = 60_000;

interface Running {
  readonly authenticators: readonly JwtAuthenticator[];
  readonly authenticate: TokenAuthenticator;
}

/** JWT authenticators of flags or of the AuthenticationConfiguration file, which is reloaded when it changes. */
export async function openJwtTokens(options: ServeOptions, own: ServiceAccountTokens, logger: Logger): Promise<JwtTokens> {
  const path = options.authenticationConfig;
  const first = path === undefined ? configurationOfFlags(options) : await readConfiguration(path);
  const algorithms = path === undefined && options.oidcSigningAlgs.length > 0 ? options.oidcSigningAlgs : undefined;
  const begin = (configuration: AuthenticationConfiguration) =>
    run(configuration, algorithms ?? (path === undefined ? ['RS256'] : signingAlgorithms), own, logger);
  let running = await begin(first);
  const reload = async (text: string): Promise<void> => {
    const fresh = await parseAuthenticationConfiguration(text);
    if (!isDeepStrictEqual(fresh.anonymous, first.anonymous))
      throw new Error('anonymous: changed from initial configuration file');
    const next = await begin(fresh);
    await Promise.all(next.authenticators.map(({ provider }) => provider.initialized));
    const problem = next.authenticators.map(({ provider }) => provider.problem()).find((each) => each !== undefined);
    if (problem !== undefined) throw new Error(problem);
    stopLater(running);
    running = next;
    logger.info('authentication configuration reloaded', { path });
  };
  const fail = (error: unknown) =>
    logger.error('authentication configuration could not be reloaded', { path, error: String(error) });
  const watched = path === undefined ? undefined : watchedFile(path, (text) => void reload(text).catch(fail), fail);
  return {
    authenticate: withApiAudiences(own.apiAudiences, (token, audiences) => running.authenticate(token, audiences)),
    anonymous: first.anonymous,
    stop() {
      watched?.stop();
      for (const each of running.authenticators) each.stop();
    },
  };
}

function stopLater({ authenticators }: Running): void {
  setTimeout(() => {
    for (const each of authenticators) each.stop();
  }, graceMs).unref();
}

async function readConfiguration(path: string): Promise<AuthenticationConfiguration> {
  try {
    return await parseAuthenticationConfiguration(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`failed to load authentication configuration from file "${path}": ${(error as Error).message}`);
  }
}

async function run(
  configuration: AuthenticationConfiguration,
  algorithms: readonly string[],
  own: ServiceAccountTokens,
  logger: Logger,
): Promise<Running> {
  const { errors, expressions } = await validateConfiguration(configuration, own.issuers);
  if (errors.length > 0) throw new UsageError(`invalid authentication configuration: ${errors}`);
  const authenticators = configuration.jwt.map((jwt, i) =>
    jwtAuthenticator({
      configuration: jwt,
      expressions: expressions[i] as (typeof expressions)[number],
      signingAlgorithms: algorithms,
      now: Date.now,
      logger,
    }),
  );
  return {
    authenticators,
    authenticate: unionTokenAuthenticator(
      authenticators.map(({ authenticate }) => authenticate),
      true,
    ),
  };
}

function configurationOfFlags(options: ServeOptions): AuthenticationConfiguration {
  const { oidcIssuerUrl: url, oidcClientId: clientId } = options;
  return { jwt: url === undefined || clientId === undefined ? [] : [issuerOfFlags(url, clientId, options)] };
}

function issuerOfFlags(url: string, clientId: string, options: ServeOptions): JwtConfiguration {
  const { oidcUsernameClaim: claim = 'sub', oidcGroupsClaim: groups, oidcCaFile: ca } = options;
  const required = Object.entries(options.oidcRequiredClaim);
  return {
    issuer: { url, audiences: [clientId], ...(ca !== undefined && { certificateAuthority: readFileSync(ca, 'utf8') }) },
    claimMappings: {
      username: { claim, prefix: usernamePrefix(options, url) },
      ...(groups !== undefined && { groups: { claim: groups, prefix: options.oidcGroupsPrefix ?? '' } }),
    },
    claimValidationRules: required.map(([name, requiredValue]) => ({ claim: name, requiredValue })),
  };
}

/** Email addresses are unique across issuers; other claims get the issuer as prefix. */
function usernamePrefix({ oidcUsernamePrefix: prefix, oidcUsernameClaim: claim }: ServeOptions, url: string): string {
  if (prefix === '-') return '';
  return prefix ?? (claim === 'email' ? '' : `${url}#`);
}
