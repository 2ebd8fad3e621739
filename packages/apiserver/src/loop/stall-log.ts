import { TokenBucket } from '@tsukube/transport';
import type { ApiRequest } from '../http/api-request.ts';
import type { LogFields, Logger } from '../logger.ts';
import type { Stall } from './loop-monitor.ts';

/** Lines beyond this rate are dropped and counted in the next one. */
const rate = { burst: 10, perSecond: 0.2 };
/** Limits paths and user names, which clients choose. */
const maxTextLength = 256;

/**
 * Logs stalls of the event loop with the request that caused them; as info if the process had no CPU time for most of it, because
 * the disk or other processes caused it then. `now` is in milliseconds.
 */
export function stallLog(logger: Logger, now: () => number = Date.now): (stall: Stall) => void {
  const lines = new TokenBucket(rate.burst, rate.perSecond, now);
  let suppressed = 0;
  return ({ ms, cause, inFlight, sections, cpuMs }) => {
    if (!cause && cpuMs < ms / 2) return;
    if (!lines.take()) return void suppressed++;
    const fields: LogFields = {
      durationMs: Math.round(ms),
      cpuMs: Math.round(cpuMs),
      ...(cause ? describeRequest(cause) : { requests: sections, inFlight: inFlight.map(requestSummary) }),
      ...(suppressed > 0 && { suppressed }),
    };
    suppressed = 0;
    logger[cpuMs < ms / 2 ? 'info' : 'warn']('event loop stalled', fields);
  };
}

/** Describes a request for the analysis of a stall. */
function describeRequest(request: ApiRequest): LogFields {
  const { method, info, user, exchange } = request;
  return {
    method,
    path: shortened(exchange.url),
    verb: info.verb,
    ...(info.isResource && { resource: resourceText(request) }),
    user: shortened(user.name),
    bytes: bodyBytes(request),
    requestMs: Date.now() - request.received,
  };
}

/** A one-line description of a request. */
export function requestSummary(request: ApiRequest): string {
  const { method, exchange, user } = request;
  return `${method} ${shortened(exchange.url)} by ${shortened(user.name)}, ${bodyBytes(request)} bytes`;
}

function resourceText({ info: { group, resource, subresource } }: ApiRequest): string {
  const name = group === '' ? resource : `${resource}.${group}`;
  return shortened(subresource === '' ? name : `${name}/${subresource}`);
}

function bodyBytes({ bodyBytes, exchange }: ApiRequest): number {
  return bodyBytes ?? Number(exchange.header('content-length') ?? 0);
}

function shortened(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}
