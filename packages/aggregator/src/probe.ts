import { hostPortOf } from '@tsukube/apiserver';
import type { Connections } from './connections.ts';
import { fetchDocument } from './fetch-document.ts';
import { discoveryPathOf, type RemoteApi } from './remote-api.ts';

const timeoutMs = 5000;
const attempts = 5;

/** Asks the backend for its discovery. Resolves with undefined as soon as one attempt succeeds, with Kubernetes' message if none does. */
export function probe(api: RemoteApi, connections: Connections): Promise<string | undefined> {
  let failures = 0;
  return new Promise((resolve) => {
    const settle = (problem: string | undefined) => {
      if (problem === undefined || ++failures === attempts) resolve(problem);
    };
    for (let i = 0; i < attempts; i++) void attempt(api, connections).then(settle, (error) => settle(String(error)));
  });
}

async function attempt(api: RemoteApi, connections: Connections): Promise<string | undefined> {
  let url = '';
  try {
    const [backend] = await connections.backendsOf(api);
    if (!backend) return 'no endpoints available';
    url = `https://${hostPortOf(backend)}${discoveryPathOf(api)}`;
    const { status } = await fetchDocument([backend], discoveryPathOf(api), { accept: 'application/json', timeoutMs });
    if (status >= 200 && status < 300) return undefined;
    return `failing or missing response from ${url}: bad status from ${url}: ${status}`;
  } catch (error) {
    const message = clientText((error as Error).message);
    return url === '' ? message : `failing or missing response from ${url}: Get "${url}": ${message}`;
  }
}

/** Go's HTTP client words this error in its own way, its transport does not. */
function clientText(problem: string): string {
  return problem === 'tls: first record does not look like a TLS handshake'
    ? 'http: server gave HTTP response to HTTPS client'
    : problem;
}
