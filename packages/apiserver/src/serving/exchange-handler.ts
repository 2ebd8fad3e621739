import { StatusError } from '@tsukube/machinery';
import type { ExchangeHandler } from '@tsukube/transport';
import type { Handler } from '../filters/filter.ts';
import { IncomingRequest } from '../http/api-request.ts';

/** Passes the requests of the transport to the filter chain. */
export function serveExchange(handler: Handler): ExchangeHandler {
  return (exchange) => {
    let request: IncomingRequest;
    try {
      request = new IncomingRequest(exchange, Date.now());
    } catch {
      const { status } = StatusError.badRequest('the path of the request is not properly encoded');
      return {
        kind: 'bytes',
        status: 400,
        type: 'application/json',
        body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...status }),
      };
    }
    return handler(request);
  };
}
