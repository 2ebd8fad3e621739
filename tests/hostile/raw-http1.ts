import { connect, type TLSSocket } from 'node:tls';
import type { Client } from '../support/client.ts';
import { credentials } from './tls.ts';

/** The administrator's connection, for those who write HTTP/1.1 by hand. */
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

/** What came back, which may be several answers, half of one, or nothing. */
export interface RawReply {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Whether the server has closed the connection. */
  readonly closed: boolean;
}

/** Sends bytes as they are and gives what comes back until the connection is closed, or nothing more comes. */
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

/** A request after which the server closes the connection. Lines are written as they are given. */
export function rawRequest(line: string, headers: readonly string[] = [], body: string | Uint8Array = ''): Buffer {
  const fields = ['host: localhost', 'connection: close', ...headers];
  if (body.length > 0) fields.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.concat([Buffer.from(`${line}\r\n${fields.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body as Uint8Array)]);
}
