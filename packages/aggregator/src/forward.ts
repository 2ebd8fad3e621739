import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type Backend, type BackendRequest, hostPortOf, startRequest } from '@tsukube/apiserver';

/** A request for any of several backends. */
export interface ForwardedRequest extends BackendRequest {
  readonly body?: Readable | undefined;
}

/** No backend answered. The message is Go's text for the last failure. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * Resolves with the response of the first backend that answers. The next one is tried if no connection was made, and reads also if
 * the connection broke before the response. A read that broke on a reused connection is repeated once with the same backend.
 */
export async function forward(backends: readonly Backend[], request: ForwardedRequest): Promise<IncomingMessage> {
  const candidates = backends.length === 1 && isRead(request) ? [...backends, ...backends] : backends;
  let last = new Unreachable('no endpoints available');
  for (const backend of candidates) {
    const outcome = await attempt(backend, request);
    if (!('problem' in outcome)) return outcome;
    last = new Unreachable(outcome.problem);
    if (request.signal.aborted || !mayRepeat(request, outcome)) break;
  }
  request.body?.destroy();
  throw last;
}

function isRead({ method, body }: ForwardedRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && body === undefined;
}

function mayRepeat(request: ForwardedRequest, { wasConnected }: Failure): boolean {
  return !wasConnected || isRead(request);
}

interface Failure {
  readonly problem: string;
  readonly wasConnected: boolean;
}

function attempt(backend: Backend, { body, headers, ...request }: ForwardedRequest): Promise<IncomingMessage | Failure> {
  return new Promise((resolve) => {
    const all = ['host', hostPortOf(backend), ...headers];
    const sent = startRequest(backend, { ...request, headers: all }, (problem, wasConnected) => {
      body?.unpipe();
      resolve({ problem, wasConnected });
    });
    sent.once('response', (response) => {
      response.once('close', () => sent.destroy());
      resolve(response);
    });
    if (!body) return void sent.end();
    const abort = (error: Error) => sent.destroy(error);
    body.once('error', abort);
    // Nothing of the body is consumed before there is a connection, so that another backend can be tried.
    sent.once('socket', (socket) => {
      const start = () => void (sent.destroyed || body.pipe(sent));
      if (sent.reusedSocket) start();
      else socket.once('secureConnect', start);
    });
    sent.once('close', () => body.off('error', abort));
  });
}
