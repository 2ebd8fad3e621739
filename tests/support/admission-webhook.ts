import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { memoryFiles } from '@tsukube/machinery/pki';
import { openPki } from '../../packages/server/src/pki/pki.ts';
import type { Any } from './client.ts';

/** Returns the `response` of an AdmissionReview without its uid, or writes the HTTP response itself and returns nothing. */
export type Reviewer = (request: Any, http: { readonly review: Any; readonly response: ServerResponse }) => Any;

export interface AdmissionWebhook {
  readonly url: string;
  readonly port: number;
  readonly caBundle: string;
  /** The requests received, with their paths. */
  readonly requests: { readonly path: string; readonly query: string; readonly request: Any; readonly review: Any }[];
  clientConfig(path: string): { readonly url: string; readonly caBundle: string };
  close(): Promise<void>;
}

/** A webhook server with TLS on localhost. `reviewers` are by path. */
export async function startAdmissionWebhook(reviewers: Readonly<Record<string, Reviewer>>): Promise<AdmissionWebhook> {
  const hosts = ['127.0.0.1', 'webhook.default.svc'];
  const { ca, serving } = openPki(memoryFiles(), { hosts, clientKeyAlgorithm: 'ecdsa' }, new Date());
  const requests: AdmissionWebhook['requests'] = [];
  const server = createServer({ cert: serving.certificate, key: serving.key }, async (incoming, response) => {
    const review = JSON.parse(await textOf(incoming));
    const [path = '', query = ''] = (incoming.url ?? '').split('?');
    requests.push({ path, query, request: review.request, review });
    const answer = reviewers[path]?.(review.request, { review, response });
    if (response.writableEnded || response.destroyed || answer === undefined) return;
    const { apiVersion, kind, request } = review;
    const body = JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...answer } });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const caBundle = Buffer.from(ca).toString('base64');
  return {
    url,
    port,
    caBundle,
    requests,
    clientConfig: (path) => ({ url: url + path, caBundle }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A JSON patch as an AdmissionResponse carries it. */
export function patchOf(operations: unknown): { readonly patchType: 'JSONPatch'; readonly patch: string } {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
