import { aggregateMessage, StatusError } from '@tsukube/machinery';
import type { HeaderRedaction } from '@tsukube/transport';
import { type Authenticated, type Authenticator, type Identification, isAuthenticated } from '../authentication/authenticator.ts';
import { hasApiAudience } from '../authentication/bearer-token.ts';
import { withoutTokenProtocols } from '../authentication/websocket-token.ts';
import { anonymousUser, type IncomingRequest } from '../http/api-request.ts';
import type { Logger } from '../logger.ts';
import type { AuthenticationMetrics } from '../metrics/access-metrics.ts';
import type { Filter } from './filter.ts';

export interface AuthenticationOptions {
  /** The accepted audiences of credentials that have any. */
  readonly apiAudiences?: readonly string[];
  /** Whether a header, in lower case, carries credentials. Such headers are concealed from later filters and proxies. */
  readonly isCredential?: (header: string) => boolean;
  readonly logger?: Logger;
  readonly metrics?: AuthenticationMetrics;
}

/** Authenticates a request or rejects it with 401. Conceals its credentials. */
export function authentication(authenticator: Authenticator, options: AuthenticationOptions = {}): Filter {
  const { apiAudiences = [], isCredential = isStandardCredential, metrics } = options;
  const redaction = credentialRedaction(isCredential);
  const admit = (request: IncomingRequest, verdict: Identification): void => {
    if (!isAuthenticated(verdict)) throw unauthorized(request, verdict?.refused, options);
    if (!hasApiAudience(apiAudiences, verdict.audiences)) throw unauthorized(request, ['unable to match the audience'], options);
    request.user = verdict.user;
    metrics?.succeeded(verdict.user.name);
    // Anonymous clients get one request for each HTTP/2 connection, since streams are cheap to open and costly to serve.
    if (verdict.user === anonymousUser) request.exchange.connection.goAway();
    request.exchange.redact(redaction);
    if (verdict.warnings || verdict.annotations) tell(request, verdict);
  };
  return function authenticate(request, next) {
    const verdict = authenticator(request);
    if (!(verdict instanceof Promise)) {
      admit(request, verdict);
      return next(request);
    }
    return verdict.then((known) => {
      admit(request, known);
      return next(request);
    });
  };
}

function unauthorized(
  { exchange }: IncomingRequest,
  reasons: readonly string[] | undefined,
  { logger, metrics }: AuthenticationOptions,
): StatusError {
  metrics?.failed(reasons ? 'error' : 'failure');
  if (reasons && logger?.enabled('debug'))
    logger.debug('unable to authenticate the request', { reason: aggregateMessage(reasons) });
  exchange.connection.goAway();
  return StatusError.unauthorized();
}

function tell(request: IncomingRequest, { warnings = [], annotations }: Authenticated): void {
  for (const warning of warnings) request.warn(warning);
  for (const [key, value] of Object.entries(annotations ?? {})) request.annotate(key, value);
}

/** Leaves out the headers that prove an identity, and bearer tokens among the subprotocols of a WebSocket. */
export function credentialRedaction(isCredential: (header: string) => boolean): HeaderRedaction {
  return (name, value) => {
    if (isCredential(name)) return undefined;
    return name === 'sec-websocket-protocol' ? withoutTokenProtocols(value) : value;
  };
}

const standardCredentialHeaders = new Set(['authorization', 'x-remote-user', 'x-remote-uid', 'x-remote-group']);

export function isStandardCredential(header: string): boolean {
  return standardCredentialHeaders.has(header) || header.startsWith('x-remote-extra-');
}
