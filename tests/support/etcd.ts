import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The reason to skip suites that need etcd; undefined if etcd is installed. For `describe.skipIf(etcdMissing)`. */
export const etcdMissing = spawnSync('etcd', ['--version']).error ? 'there is no `etcd` on the PATH' : undefined;

if (etcdMissing) console.warn(`${etcdMissing}: suites that need it are skipped`);

export interface EtcdOptions {
  /** Further flags, such as `--max-request-bytes=10485760`. */
  readonly args?: readonly string[];
  /** PEM files. If set, clients must use TLS with a certificate of the same CA. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** One etcd process on the loopback interface. */
export interface EtcdMember {
  readonly endpoint: string;
  /** Starts it, on the same address and data as before, and waits until it is healthy. */
  start(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  isLeader(): Promise<boolean>;
}

export interface RunningEtcd extends EtcdMember {
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface EtcdCluster {
  readonly members: readonly EtcdMember[];
  readonly endpoints: readonly string[];
  /** Ends all members and removes their data. */
  stop(): Promise<void>;
}

/** Starts an etcd of one member and waits until it is healthy. */
export async function startEtcd(options?: EtcdOptions): Promise<RunningEtcd> {
  const { members, stop } = await startEtcdCluster(1, options);
  return { ...(members[0] as EtcdMember), stop };
}

/** Starts a cluster and waits until every member is healthy. */
export async function startEtcdCluster(size: number, options: EtcdOptions = {}): Promise<EtcdCluster> {
  if (etcdMissing) throw new Error(etcdMissing);
  const dir = await mkdtemp(join(tmpdir(), 'tsukube-etcd-'));
  const ports = await freePorts(size);
  const peers = ports.map(({ peer }, i) => `m${i}=http://127.0.0.1:${peer}`).join(',');
  const members = ports.map((own, i) => memberOf({ name: `m${i}`, dir, peers, ...own }, options));
  const stop = async () => {
    await Promise.all(members.map((member) => member.kill()));
    await rm(dir, { recursive: true, force: true });
  };
  await Promise.all(members.map((member) => member.start())).catch(async (error) => {
    await stop();
    throw error;
  });
  return { members, endpoints: members.map(({ endpoint }) => endpoint), stop };
}

interface Ports {
  readonly peer: number;
  readonly client: number;
  readonly metrics: number;
}

interface Place extends Ports {
  readonly name: string;
  readonly dir: string;
  readonly peers: string;
}

function memberOf(place: Place, options: EtcdOptions): EtcdMember {
  const log = join(place.dir, `${place.name}.log`);
  let child: ChildProcess | undefined;
  const kill = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  };
  const start = async () => {
    const started = run(argsOf(place, options), log);
    child = started;
    await healthy(place, started).catch(async (error) => {
      const said = await readFile(log, 'utf8').catch(() => '');
      throw new Error(`etcd did not start: ${said.split('\n').slice(-15).join('\n')}`, { cause: error });
    });
  };
  const isLeader = async () => (await ask(place, 'metrics')).includes('\netcd_server_is_leader 1');
  return { endpoint: clientUrl(place, options), start, kill, isLeader };
}

function run(args: readonly string[], log: string): ChildProcess {
  const output = openSync(log, 'a');
  const child = spawn('etcd', args, { stdio: ['ignore', output, output] });
  closeSync(output);
  const killWithParent = () => child.kill('SIGKILL');
  process.once('exit', killWithParent);
  child.once('exit', () => process.off('exit', killWithParent));
  return child;
}

function argsOf(place: Place, { args = [], tls }: EtcdOptions): string[] {
  const peerUrl = `http://127.0.0.1:${place.peer}`;
  const url = clientUrl(place, { tls });
  const certificates = tls
    ? [`--trusted-ca-file=${tls.ca}`, `--cert-file=${tls.cert}`, `--key-file=${tls.key}`, '--client-cert-auth']
    : [];
  return [
    ...[`--name=${place.name}`, `--data-dir=${join(place.dir, place.name)}`, '--logger=zap', '--log-level=warn'],
    ...[`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=${place.peers}`],
    ...[
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-metrics-urls=http://127.0.0.1:${place.metrics}`,
    ],
    ...['--heartbeat-interval=50', '--election-timeout=500'],
    ...certificates,
    ...args,
  ];
}

function clientUrl({ client }: Ports, { tls }: EtcdOptions): string {
  return `${tls ? 'https' : 'http'}://127.0.0.1:${client}`;
}

const START_TIMEOUT_MS = 20_000;

async function healthy(ports: Ports, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await pause(20)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const health = await ask(ports, 'health').catch(() => '');
    if (health.includes('"true"')) return;
  }
  throw new Error('it was not healthy in time');
}

async function ask({ metrics }: Ports, page: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${metrics}/${page}`, { signal: AbortSignal.timeout(2_000) });
  return response.text();
}

/** All ports are held open at the same time, so that they differ. Another process could take one before etcd does. */
async function freePorts(members: number): Promise<Ports[]> {
  const servers = Array.from({ length: members * 3 }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return Array.from({ length: members }, (_, i) => {
    const [peer, client, metrics] = ports.slice(i * 3) as [number, number, number];
    return { peer, client, metrics };
  });
}
