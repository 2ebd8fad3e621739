import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SpdyStream } from '@tsukube/transport';
import { acceptSpdy } from './spdy-server.ts';

interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
}

/** Serves port-forward over SPDY: connects pairs of data and error streams to ports of this host. */
export function servePortForward(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const pairs = new Map<string, Pair>();
  acceptSpdy(request, socket, head, ['portforward.k8s.io'], (stream, headers) => {
    const id = headers.get('requestid') ?? String(stream.id);
    const pair = pairs.get(id) ?? {};
    pairs.set(id, pair);
    if (headers.get('streamtype') === 'error') pair.error = stream;
    else pair.data = stream;
    if (!pair.data || !pair.error) return;
    pairs.delete(id);
    forward(Number(headers.get('port')), pair.data, pair.error);
  });
}

function forward(port: number, data: SpdyStream, error: SpdyStream): void {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  error.resume();
  socket.once('connect', () => {
    data.pipe(socket);
    socket.pipe(data);
  });
  socket.once('close', () => error.end());
  socket.once('error', (problem) => {
    error.end(`an error occurred forwarding ${port}: ${problem.message}`);
    data.end();
    data.resume();
  });
  data.once('close', () => socket.destroy());
}
