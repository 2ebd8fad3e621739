import { asClientProblem } from '@tsukube/apiserver';
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
    const route = await connections.routeTo(api);
    const addresses = route.addresses.slice(0, 1);
    const [{ host, port } = { host: '', port: 0 }] = addresses;
    url = `https://${host.includes(':') ? `[${host}]` : host}:${port}${discoveryPathOf(api)}`;
    const options = { accept: 'application/json', timeoutMs };
    const { status } = await fetchDocument({ ...route, addresses }, discoveryPathOf(api), options);
    if (status >= 200 && status < 300) return undefined;
    return `failing or missing response from ${url}: bad status from ${url}: ${status}`;
  } catch (error) {
    const message = asClientProblem((error as Error).message);
    return url === '' ? message : `failing or missing response from ${url}: Get "${url}": ${message}`;
  }
}
