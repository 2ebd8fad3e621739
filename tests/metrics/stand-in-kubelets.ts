import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificate } from '../support/certificates.ts';
import type { Client } from '../support/client.ts';

const authority = certificate('kubelet-ca', { for: 'authority' });
const serving = certificate('kubelet', { for: 'server', hosts: ['127.0.0.1'] }, { issuer: authority });
const strange = certificate('stranger', { for: 'server', hosts: ['127.0.0.1'] });

/** The CA of all stand-ins but those with a bad certificate. */
export const kubeletCa = authority.pem;

/** Seconds since the start of the stand-ins, which is also the CPU time of everything that uses one core. */
export type Answer = (request: IncomingMessage, response: ServerResponse, seconds: number) => void;

export interface StandInKubelet {
  readonly port: number;
  requests: number;
  close(): Promise<void>;
}

const began = Date.now();

export async function startKubelet(answer: Answer, options: { readonly badCertificate?: boolean } = {}): Promise<StandInKubelet> {
  const { pem, key } = options.badCertificate ? strange : serving;
  const server: Server = createServer({ cert: pem, key }, (request, response) => {
    kubelet.requests++;
    answer(request, response, (Date.now() - began) / 1000);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kubelet = {
    port: (server.address() as AddressInfo).port,
    requests: 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return kubelet;
}

export interface Figures {
  /** Cores of the node and of each container. */
  readonly nodeCores?: number;
  readonly containerCores?: number;
  /** `namespace/name`, each with the containers `main` and `side`. */
  readonly pods?: readonly string[];
  /** Start of the counters, in seconds since the start of the stand-ins. */
  readonly since?: number;
}

/** `/metrics/resource` of a kubelet whose counters grow with time. */
export function report({ nodeCores = 0.5, containerCores = 0.25, pods = [], since = 0 }: Figures, seconds: number): string {
  const [at, used] = [Math.round(began + seconds * 1000), seconds + 100 - since];
  const lines = pods.flatMap((pod) => {
    const [namespace, name] = pod.split('/');
    return ['main', 'side'].flatMap((container) => {
      const labels = `{container="${container}",namespace="${namespace}",pod="${name}"}`;
      return [
        `container_cpu_usage_seconds_total${labels} ${containerCores * used} ${at}`,
        `container_memory_working_set_bytes${labels} 4.194304e+06 ${at}`,
        `container_start_time_seconds${labels} ${began / 1000 - 1000}`,
      ];
    });
  });
  return [
    '# HELP node_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the node in core-seconds',
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${nodeCores * used} ${at}`,
    `node_memory_working_set_bytes 1.073741824e+09 ${at}`,
    ...lines,
    'resource_scrape_error 0\n',
  ].join('\n');
}

/** Answers with these figures. */
export function healthy(figures: Figures = {}): Answer {
  return (_, response, seconds) => response.writeHead(200, { 'content-type': 'text/plain' }).end(report(figures, seconds));
}

export async function createNode(client: Client, name: string, port: number, labels: Record<string, string> = {}): Promise<void> {
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    capacity: { cpu: '4', memory: '8Gi' },
    allocatable: { cpu: '4', memory: '8Gi' },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  await expectCreated(client, '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status });
}

export async function createPod(
  client: Client,
  pod: string,
  nodeName: string,
  labels: Record<string, string> = {},
): Promise<void> {
  const [namespace, name] = pod.split('/');
  const containers = ['main', 'side'].map((container) => ({ name: container, image: 'nginx' }));
  const spec = { nodeName, containers, automountServiceAccountToken: false };
  await expectCreated(client, `/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec,
  });
}

async function expectCreated(client: Client, path: string, object: object): Promise<void> {
  const { status, text } = await client.send('POST', path, object);
  if (status !== 201) throw new Error(`${path}: ${text}`);
}
