import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { StatusError } from '@tsukube/machinery';
import type { Answer, Sink } from '@tsukube/transport';
import type { ResourceRequest } from '../registry/resource-request.ts';
import { asClientProblem, type Backend, hostPortOf, startRequest } from './backend.ts';
import { upgradeError } from './proxy-upgrade.ts';

/** Bytes of an error response that become the message of the Status. */
const maxErrorBytes = 50_000;

export interface LogSource {
  readonly backend: Backend;
  /** Path and query. */
  readonly target: string;
  /** The resource and subresource that error messages name. */
  readonly resource: string;
  /** Called if the certificate of the backend is not trusted. */
  onUntrusted(): void;
}

/** Streams what the backend sends for a GET as plain text. WebSocket clients get it in binary messages. */
export async function streamFrom(request: ResourceRequest, source: LogSource): Promise<Answer> {
  const response = await get(request, source);
  const { statusCode = 500 } = response;
  if (statusCode < 200 || statusCode > 206) throw await errorOf(request, source, response);
  if (!request.exchange.upgrade) return { kind: 'bytes', status: 200, type: 'text/plain', body: response, isProxied: true };
  return { kind: 'stream', status: 200, type: 'text/plain', start: (sink) => send(response, sink) };
}

function get({ signal }: ResourceRequest, source: LogSource): Promise<IncomingMessage> {
  const { backend, target } = source;
  return new Promise((resolve, reject) => {
    const fail = (transportProblem: string) => {
      const problem = asClientProblem(transportProblem);
      if (problem.includes('x509:')) source.onUntrusted();
      reject(upgradeError(`Get "${backend.scheme}://${hostPortOf(backend)}${target}": ${problem}`));
    };
    const headers = ['host', hostPortOf(backend), 'accept-encoding', 'identity'];
    const sent = startRequest(backend, { method: 'GET', target, headers, signal }, fail);
    sent.once('response', (response) => {
      response.once('close', () => sent.destroy());
      const { location } = response.headers;
      if (!isRedirect(response) || location === undefined) return resolve(response);
      response.destroy();
      reject(upgradeError(`Get "${location}": redirects forbidden`));
    });
    sent.end();
  });
}

const redirects: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);
const isRedirect = ({ statusCode }: IncomingMessage): boolean => redirects.has(statusCode);

async function errorOf({ info }: ResourceRequest, { resource }: LogSource, response: IncomingMessage): Promise<StatusError> {
  const code = response.statusCode as number;
  const text = await startOf(response).catch((error: Error) => error);
  if (text instanceof Error) return StatusError.internalError(text.message);
  if (code === 500) return StatusError.internalError(text);
  if (code === 400) return StatusError.badRequest(text);
  return StatusError.generic(code, text, { resource: { group: '', resource }, name: info.name });
}

async function startOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxErrorBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, maxErrorBytes).toString('utf8');
}

const maxBufferedBytes = 256 * 1024;

function send(source: Readable, sink: Sink): void {
  source.on('data', (piece: Buffer) => {
    sink.write([piece], piece);
    if (sink.buffered < maxBufferedBytes) return;
    source.pause();
    sink.onDrain(() => source.resume());
  });
  source.once('end', () => sink.end());
  source.once('error', () => sink.abort());
  sink.onClose(() => source.destroy());
}
