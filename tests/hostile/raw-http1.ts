import { connect, type TLSSocket } from 'node:tls';
import type { Client } from '../support/client.ts';
import { credentials } from './tls.ts';

/** A TLS connection of the administrator for raw HTTP/1.1. */
export function openSocket(client: Client): Promise<TLSSocket> {
  const { hostname, port } = new URL(client.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ...credentials(client), ALPNProtocols: ['http/1.1'] }, () =>
      resolve(socket),
    );
    socket.once('error', reject);
    socket.on('error', () => {});
  });
}

/** The received bytes: several responses, an incomplete one, or none. */
export interface RawReply {
  /** 0 if there was no response. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Whether the server has closed the connection. */
  readonly closed: boolean;
}

/** Sends raw bytes and returns what is received until the connection is closed or quiet. */
export async function sendRaw(client: Client, bytes: string | Uint8Array, quietMs = 3000): Promise<RawReply> {
  const socket = await openSocket(client);
  const chunks: Buffer[] = [];
  const closed = await new Promise<boolean>((resolve) => {
    const silence = setTimeout(resolve, quietMs, false);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      silence.refresh();
    });
    socket.once('close', () => {
      clearTimeout(silence);
      resolve(true);
    });
    socket.write(bytes);
  });
  socket.destroy();
  return { ...parsed(Buffer.concat(chunks).toString('utf8')), closed };
}

function parsed(text: string): Omit<RawReply, 'closed'> {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  return { status, head, body: end < 0 ? '' : text.slice(end + 4) };
}

/** A request with `Connection: close` and the given lines. */
export function rawRequest(line: string, headers: readonly string[] = [], body: string | Uint8Array = ''): Buffer {
  const fields = ['host: localhost', 'connection: close', ...headers];
  if (body.length > 0) fields.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.concat([Buffer.from(`${line}\r\n${fields.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body as Uint8Array)]);
}
