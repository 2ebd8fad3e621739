import { StatusError } from '@tsukube/machinery';
import type { HeaderRedaction } from '@tsukube/transport';
import {
  type Authenticated,
  type Authenticator,
  type Identification,
  isAuthenticated,
  reasonText,
} from '../authentication/authenticator.ts';
import { hasApiAudience } from '../authentication/bearer-token.ts';
import { withoutTokenProtocols } from '../authentication/websocket-token.ts';
import { anonymous, type IncomingRequest } from '../http/api-request.ts';
import type { Logger } from '../logger.ts';
import type { AuthenticationMetrics } from '../metrics/access-metrics.ts';
import type { Filter } from './filter.ts';

export interface AuthenticationOptions {
  /** Whom a proof must be meant for, if it says whom it is meant for. */
  readonly apiAudiences?: readonly string[];
  /** Headers in which proofs are sent: nothing behind this filter sees them. In lower case. */
  readonly isProof?: (header: string) => boolean;
  readonly logger?: Logger;
  readonly metrics?: AuthenticationMetrics;
}

/** Finds out who sends a request, or refuses it. What was sent to prove it goes no further. */
export function authentication(authenticator: Authenticator, options: AuthenticationOptions = {}): Filter {
  const { apiAudiences = [], isProof = isStandardProof, metrics } = options;
  const redaction = credentialRedaction(isProof);
  const admit = (request: IncomingRequest, verdict: Identification): void => {
    if (!isAuthenticated(verdict)) throw unauthorized(request, verdict?.refused, options);
    if (!hasApiAudience(apiAudiences, verdict.audiences)) throw unauthorized(request, ['unable to match the audience'], options);
    request.user = verdict.user;
    metrics?.succeeded(verdict.user.name);
    // Streams are cheap to open and dear to serve: strangers get one for each connection.
    if (verdict.user === anonymous) request.exchange.connection.goAway();
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
  if (reasons && logger?.enabled('debug')) logger.debug('a request could not be authenticated', { reason: reasonText(reasons) });
  exchange.connection.goAway();
  return StatusError.unauthorized();
}

function tell(request: IncomingRequest, { warnings = [], annotations }: Authenticated): void {
  for (const warning of warnings) request.warn(warning);
  for (const [key, value] of Object.entries(annotations ?? {})) request.annotate(key, value);
}

/** Leaves out the headers that prove an identity, and bearer tokens among the subprotocols of a WebSocket. */
export function credentialRedaction(isProof: (header: string) => boolean): HeaderRedaction {
  return (name, value) => {
    if (isProof(name)) return undefined;
    return name === 'sec-websocket-protocol' ? withoutTokenProtocols(value) : value;
  };
}

const standardProofs = new Set(['authorization', 'x-remote-user', 'x-remote-uid', 'x-remote-group']);

export function isStandardProof(header: string): boolean {
  return standardProofs.has(header) || header.startsWith('x-remote-extra-');
}
