import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts';
import { launchServer, type ServerProcess } from './server-process.ts';
import { throughPort } from './tcp-proxy.ts';

/** One server process of several on a store. It keeps its port and data dir. */
export interface Replica {
  readonly port: number;
  readonly dataDir: string;
  /** Of the process that was started last. */
  readonly pid: number;
  /** The administrator's kubeconfig for this replica. */
  readonly kubeconfig: string;
  readonly isRunning: boolean;
  start(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Shuts it down gracefully and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface Replicas {
  readonly members: readonly Replica[];
  readonly balancer: LoadBalancer;
  /** The administrator's kubeconfig for the load balancer. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly count: number;
  /** Flags of each server: its store, and others. */
  readonly args: readonly string[];
  /** Discards their warnings, for tests that cause errors. */
  readonly quiet?: boolean;
}

/** Starts servers at the same time: with a data dir each, one cert dir, and one load balancer. */
export async function startReplicas({ count, args, quiet }: ReplicaOptions): Promise<Replicas> {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-replicas-'));
  const ports = await freePorts(count);
  const common = [...args, `--cert-dir=${join(folder, 'pki')}`];
  const members = ports.map((port, i) => replicaOf(join(folder, `r${i}`), port, common, quiet === true));
  const stopAll = async () => {
    await Promise.all(members.map((member) => member.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  await Promise.all(members.map((member) => member.start())).catch(async (error) => {
    await stopAll();
    throw error;
  });
  const balancer = await startLoadBalancer(ports);
  return {
    members,
    balancer,
    kubeconfig: throughPort((members[0] as Replica).kubeconfig, balancer.port),
    async close() {
      await balancer.close();
      await stopAll();
    },
  };
}

function replicaOf(dataDir: string, port: number, common: readonly string[], quiet: boolean): Replica {
  let process: ServerProcess | undefined;
  let kubeconfig = '';
  let pid = 0;
  return {
    port,
    dataDir,
    get pid() {
      return pid;
    },
    get kubeconfig() {
      return kubeconfig;
    },
    get isRunning() {
      return process !== undefined;
    },
    async start() {
      process = launchServer({ dataDir, args: [...common, `--secure-port=${port}`], quiet });
      pid = process.pid;
      kubeconfig = await process.ready;
    },
    async kill() {
      const ending = process;
      process = undefined;
      await ending?.kill();
    },
    async stop() {
      const ending = process;
      process = undefined;
      return (await ending?.stop()) ?? null;
    },
  };
}

/** All are held open at the same time, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
