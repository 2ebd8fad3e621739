import { request } from 'node:https';
import type { Any, Client } from './client.ts';

export interface RawReply {
  readonly status: number;
  readonly text: string;
  readonly body: Any;
}

/** Sends a request without a client certificate and without normalizing the path. */
export function rawRequest(
  { url, tls: { ca } }: Client,
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: unknown,
): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const all = payload === undefined ? headers : { 'content-type': 'application/json', ...headers };
  return new Promise((resolve, reject) => {
    const sent = request({ ca, hostname, port, method, path, headers: all, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      resolve({
        status: response.statusCode as number,
        text,
        get body() {
          return JSON.parse(text);
        },
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}
