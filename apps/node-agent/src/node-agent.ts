import { hostname } from 'node:os';
import { KubeClient, Metrics } from '@tsukube/client';
import {
  type Authorizer,
  delegatedAuthentication,
  delegatedAuthorization,
  type Logger,
  lineLogger,
  type PathHandler,
  type ServingCertificate,
  SubresourceResponse,
  serve,
} from '@tsukube/sdk';
import { Proc } from './host/proc.ts';
import { dnsLabel, type ProcessPod, ProcessPods } from './host/process-pods.ts';
import { resourceMetrics } from './host/resource-metrics.ts';
import { removeMirrorPods, syncMirrorPods } from './kubelet/mirror-pods.ts';
import { type AgentIdentity, registerNode, renewLease, reportStatus } from './kubelet/node-object.ts';

export interface NodeAgentOptions {
  /** Path or text. By default `KUBECONFIG`, the pod's service account, or `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** Of the Node. The host name by default. */
  readonly nodeName?: string | undefined;
  /** Address to serve on, and of the Node. 127.0.0.1 by default. */
  readonly address?: string;
  /** 10250 by default; 0 takes any free one. */
  readonly port?: number;
  readonly tls?: ServingCertificate;
  /** Folder of the own CA. In memory by default. */
  readonly certificates?: string | undefined;
  /** Of the mirror pods. `default` by default. */
  readonly podNamespace?: string;
  /** 110 by default, as for kubelets. */
  readonly maxPods?: number;
  /** Younger sessions are no pods. 10 seconds by default. */
  readonly minAgeMs?: number;
  /** Time between updates of pods and Lease. 10 seconds by default. */
  readonly syncMs?: number;
  readonly logger?: Logger;
}

export interface RunningNodeAgent {
  readonly url: string;
  readonly nodeName: string;
  /** The CA of its certificate in PEM. */
  readonly ca: string;
  /** Removes the mirror pods. The Node stays, as with a kubelet. */
  close(): Promise<void>;
}

/** A Node heartbeat, in syncs. */
const syncsPerStatus = 30;

/** Registers this host as a Node, its sessions of processes as Pods, and serves their figures as a kubelet does. */
export async function startNodeAgent(options: NodeAgentOptions = {}): Promise<RunningNodeAgent> {
  const { logger = lineLogger(), address = '127.0.0.1', maxPods = 110, podNamespace = 'default', syncMs = 10_000 } = options;
  const nodeName = options.nodeName ?? dnsLabel(hostname());
  const proc = new Proc();
  const groups = new ProcessPods({ nodeName, maxPods, minAgeMs: options.minAgeMs ?? 10_000 });
  const client = await KubeClient.load({ kubeconfig: options.kubeconfig, userAgent: 'tsukube-node-agent', rateLimit: false });
  const { timing } = client;
  const metrics = new Metrics();
  const scrapes = metrics.counter('node_agent_scrapes_total', 'Requests for the resource metrics of this host.');
  const pods = metrics.gauge('node_agent_pods', 'Sessions of processes that are pods.');
  const sample = async (): Promise<ProcessPod[]> => {
    const found = groups.sample(await proc.processes(), timing.now());
    pods.set(found.length);
    return found;
  };
  const figures: PathHandler = ({ path, method }) => {
    if (path !== '/metrics/resource' || method !== 'GET') return false;
    scrapes.inc();
    return sample().then((found) => {
      const text = resourceMetrics(proc.totals(), found, podNamespace, Math.floor(timing.now()));
      return new SubresourceResponse(text, { type: 'text/plain; version=0.0.4; charset=utf-8' });
    });
  };
  const authorization = await delegatedAuthorization({ client });
  const server = await serve({
    resources: [],
    handlers: [figures],
    host: address,
    port: options.port ?? 10250,
    hosts: [nodeName],
    title: 'node-agent',
    metrics,
    logger,
    ...(options.tls && { tls: options.tls }),
    ...(options.certificates !== undefined && { certificates: options.certificates }),
    authentication: await delegatedAuthentication({ client, onError: (error) => logger.warn(String(error)) }),
    authorization: { authorizer: asNodeMetrics(authorization.authorizer, nodeName), close: authorization.close },
  }).catch((error) => {
    client.close();
    throw error;
  });
  const identity: AgentIdentity = { nodeName, address, port: server.port, maxPods };
  const nodeUid = await registerNode(client, identity, proc.totals()).catch(async (error) => {
    await server.close();
    client.close();
    throw error;
  });
  const mirror = { nodeName, nodeUid, address, namespace: podNamespace };
  const stop = new AbortController();
  const syncing = repeat(async (round) => {
    await syncMirrorPods(client, await sample(), mirror);
    await renewLease(client, nodeName, nodeUid);
    if (round % syncsPerStatus === 0) await reportStatus(client, identity, proc.totals());
  });
  async function repeat(sync: (round: number) => Promise<void>): Promise<void> {
    for (let round = 1; !stop.signal.aborted; round++) {
      await sync(round).catch((error) => logger.warn('sync failed', { error: String((error as Error).message) }));
      await timing.sleep(syncMs, stop.signal).catch(() => {});
    }
  }
  return {
    url: server.url,
    nodeName,
    ca: server.ca,
    async close() {
      stop.abort();
      await syncing;
      await removeMirrorPods(client, mirror).catch((error) => logger.warn('mirror pods remain', { error: String(error) }));
      await server.close();
      client.close();
    },
  };
}

/** As kubelets do, `/metrics/*` is authorized as the subresource `metrics` of the Node. */
function asNodeMetrics(authorizer: Authorizer, nodeName: string): Authorizer {
  return {
    ...authorizer,
    authorize(access) {
      if (access.isResource || !access.path.startsWith('/metrics')) return authorizer.authorize(access);
      return authorizer.authorize({
        ...access,
        isResource: true,
        group: '',
        version: 'v1',
        resource: 'nodes',
        subresource: 'metrics',
        namespace: '',
        name: nodeName,
      });
    },
  };
}
