import { admissionChain, ObjectRegistry, openFeed, presentAs, type Resource, WatchCache } from '@tsukube/apiserver';
import { builtinResources } from '@tsukube/builtin';
import type { KubeObject } from '@tsukube/machinery';
import { openMemory } from '@tsukube/storage/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ControllerContext, writeAs } from '../controller.ts';
import { Election } from './election.ts';

const leases = builtinResources({ eventTtlSeconds: 1 }).find(({ names }) => names.plural === 'leases') as Resource;
const names = ['a', 'b', 'c', 'd', 'e', 'f'];

let clock: number;
let registry: ObjectRegistry;
let writes: number;
/** The server that cannot write, by the start of its identity; all if empty. */
let cutOff: string | undefined;
/** The servers on which each controller runs. */
let running: Map<string, Set<string>>;
/** Controllers that ran on two servers at the same time. */
let doubled: string[];
let ids: number;

beforeEach(async () => {
  [clock, writes, cutOff, running, doubled, ids] = [1_000_000, 0, undefined, new Map(), [], 0];
  const store = openMemory();
  const feed = await openFeed(store, '', () => {});
  const cache = new WatchCache(store, feed, { prefix: `${leases.storagePrefix}/`, present: presentAs(leases) });
  registry = new ObjectRegistry(leases, cache, { admission: admissionChain([]), now: () => clock });
});

/** The registry as a server sees it whose connection to the store may be cut. */
function registryOf(identity: string): ObjectRegistry {
  const failing = Object.create(registry) as ObjectRegistry;
  const counted = <A extends unknown[], R>(write: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (cutOff === identity) throw new Error('the store is down');
      writes++;
      return write(...args);
    };
  };
  failing.update = counted(registry.update.bind(registry));
  failing.create = counted(registry.create.bind(registry));
  failing.remove = counted(registry.remove.bind(registry));
  return failing;
}

interface CandidateOptions {
  readonly controllers?: readonly string[];
  /** Difference of its wall clock, in milliseconds. */
  readonly skew?: number;
  /** Name of the server, if it is not unique. */
  readonly identity?: string;
}

function candidate(server: string, { controllers = names, skew = 0, identity = server }: CandidateOptions = {}): Election {
  const own = registryOf(server);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const context = { resources: [leases], registryOf: () => own, now: () => clock + skew, logger };
  const start = (name: string) => {
    const servers = running.get(name) ?? new Set();
    running.set(name, servers.add(server));
    if (servers.size > 1) doubled.push(`${name} on ${[...servers].join(' and ')} at ${clock}`);
    return { stop: () => void servers.delete(server) };
  };
  return new Election(context as unknown as ControllerContext, {
    identity: `apiserver-${identity}`,
    controllers: controllers.map((name) => ({ name, start: () => start(name) })),
    monotonic: () => clock,
    newId: () => String(ids++),
  });
}

/** Lets time pass, with a tick every second. */
async function pass(seconds: number, ...elections: readonly Election[]): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    clock += 1000;
    for (const election of elections) await election.tick();
  }
}

/** A server that is killed runs nothing any more. */
function kill(server: string): void {
  for (const servers of running.values()) servers.delete(server);
}

function on(server: string): string[] {
  return names.filter((name) => running.get(name)?.has(server));
}

/** The server of each controller. */
function places(): (string | undefined)[] {
  return names.map((name) => [...(running.get(name) ?? [])].join());
}

async function leaseNamed(name: string): Promise<KubeObject | undefined> {
  const entry = await registry.cache.get(registry.key('kube-system', name));
  return entry && (JSON.parse(entry.value.toString()) as KubeObject);
}

async function writeOld(holderIdentity: string): Promise<void> {
  const metadata = { name: 'tsukube-controllers', namespace: 'kube-system' };
  const spec = { holderIdentity, leaseDurationSeconds: holderIdentity === '' ? 1 : 10, renewTime: new Date(clock).toISOString() };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
  const writing = { ...writeAs(registry, 'kube-system'), isAdmitted: true };
  if (await leaseNamed(metadata.name)) await registry.update(metadata.name, undefined, (old) => ({ ...old, spec }), writing);
  else await registry.create(lease, writing);
}

describe('controllers of servers that share a store', () => {
  it('all run on the only server, from its first tick', async () => {
    const one = candidate('one');
    await one.tick();
    expect(one.running).toEqual(names);
    expect((await leaseNamed('tsukube-a'))?.spec).toMatchObject({ holderIdentity: 'apiserver-one_0', leaseTransitions: 0 });
  });

  it('are spread over the servers, and each runs once', async () => {
    const all = [candidate('one'), candidate('two'), candidate('three')];
    await pass(60, ...all);
    expect(all.map((each) => each.running.length)).toEqual([2, 2, 2]);
    expect(new Set(all.flatMap((each) => each.running)).size).toBe(names.length);
    expect(doubled).toEqual([]);
  });

  it('cost one write per server and three seconds, and one of all servers per 20 seconds', async () => {
    const all = [candidate('one'), candidate('two'), candidate('three')];
    await pass(60, ...all);
    writes = 0;
    await pass(60, ...all);
    expect(writes).toBeLessThanOrEqual(3 * 20 + 3 * 3);
    expect(writes).toBeGreaterThanOrEqual(3 * 20);
  });

  it('are taken over within 15 seconds of a death, by all that are left', async () => {
    const [one, two, three] = [candidate('one'), candidate('two'), candidate('three')];
    await pass(40, one, two, three);
    kill('one');
    await pass(6, two, three);
    expect(places().filter((each) => each === '')).toHaveLength(2);
    await pass(6, two, three);
    expect([on('two').length, on('three').length]).toEqual([3, 3]);
    expect(await leaseNamed('tsukube-apiserver-one')).toBeUndefined();
    expect(doubled).toEqual([]);
  });

  it('are taken over at the next tick if a server shuts down', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(40, one, two);
    await one.stop();
    expect(on('one')).toEqual([]);
    await pass(1, two);
    expect(on('two')).toEqual(names);
  });

  it('go on at the first tick of a server that was killed and restarted', async () => {
    await pass(20, candidate('one'));
    kill('one');
    const again = candidate('one');
    await pass(1, again);
    expect(again.running).toEqual(names);
  });

  it('stop on a server that cannot renew its lease, before another one starts them', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(40, one, two);
    cutOff = 'one';
    await pass(5, one, two);
    expect(on('one')).toHaveLength(3);
    await pass(3, one, two);
    expect(on('one')).toEqual([]);
    await pass(5, two, one);
    expect(on('two')).toEqual(names);
    cutOff = undefined;
    await pass(20, one, two);
    expect([on('one').length, on('two').length]).toEqual([3, 3]);
    expect(doubled).toEqual([]);
  });

  it('are not resumed by a server that was suspended while others took over', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(40, one, two);
    // Its timers do not fire, so that its controllers look as if they ran.
    kill('one');
    await pass(15, two);
    await pass(1, one);
    expect(on('one')).toEqual([]);
    expect(one.running).toEqual([]);
    expect(on('two')).toEqual(names);
  });

  it('run on the newest of two servers of one name, and on the other when that one ends', async () => {
    const one = candidate('one', { identity: 'same' });
    await pass(5, one);
    const two = candidate('two', { identity: 'same' });
    clock += 1000;
    await two.tick();
    await pass(8, one, two);
    expect([one.running, two.running]).toEqual([[], names]);
    kill('two');
    await pass(14, one);
    expect(one.running).toEqual(names);
  });

  it('run on a server that alone has them enabled', async () => {
    const one = candidate('one', { controllers: names.slice(0, 2) });
    const two = candidate('two');
    await pass(120, one, two);
    expect(names.slice(2).map((name) => [...(running.get(name) ?? [])])).toEqual(names.slice(2).map(() => ['two']));
    const before = places();
    writes = 0;
    await pass(60, one, two);
    expect(places()).toEqual(before);
    expect(writes).toBeLessThanOrEqual(2 * 20 + 2 * 3);
  });

  it('run again after their lease was deleted by hand', async () => {
    const one = candidate('one');
    await pass(5, one);
    const { cache } = registry;
    const entry = await cache.get(registry.key('kube-system', 'tsukube-a'));
    await cache.delete(entry?.key ?? '', entry?.revision ?? 0);
    await pass(2, one);
    expect(one.running).toEqual(expect.arrayContaining(names));
    expect(doubled).toEqual([]);
  });

  it.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ])('are not taken from a live server by one whose clock is an hour %s', async (_, skew) => {
    const [one, two] = [candidate('one'), candidate('two', { skew })];
    await pass(60, one, two);
    expect([on('one').length, on('two').length]).toEqual([3, 3]);
    kill('one');
    await pass(14, two);
    expect(on('two')).toEqual(names);
    expect(doubled).toEqual([]);
  });
});

describe('a rolling upgrade from one lease for all controllers', () => {
  it('waits for a server of the earlier version, until it shuts down', async () => {
    const one = candidate('one');
    for (let i = 0; i < 20; i++) {
      await writeOld('apiserver-old');
      await pass(2, one);
    }
    expect(one.running).toEqual([]);
    await writeOld('');
    await pass(1, one);
    expect(one.running).toEqual(names);
  });

  it('takes over from one that died', async () => {
    const one = candidate('one');
    await writeOld('apiserver-old');
    await pass(9, one);
    expect(one.running).toEqual([]);
    await pass(4, one);
    expect(one.running).toEqual(names);
  });

  it('never lets the lease expire that the earlier version waits for', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    let [version, age, oldest] = ['', 0, 0];
    for (let i = 0; i < 120; i++) {
      await pass(1, ...(i < 60 ? [one, two] : [two]));
      const { metadata, spec } = (await leaseNamed('tsukube-controllers')) as KubeObject;
      expect(spec).toMatchObject({ leaseDurationSeconds: 60 });
      age = metadata.resourceVersion === version ? age + 1 : 0;
      version = metadata.resourceVersion ?? '';
      oldest = Math.max(oldest, age);
    }
    expect(oldest).toBeLessThan(30);
  });

  it('leaves it to the earlier version when the last server shuts down', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(20, one, two);
    await one.stop();
    expect((await leaseNamed('tsukube-controllers'))?.spec).toMatchObject({ leaseDurationSeconds: 60 });
    await two.stop();
    expect((await leaseNamed('tsukube-controllers'))?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });

  it('yields to a server of the earlier version that took it by force', async () => {
    const one = candidate('one');
    await pass(5, one);
    await writeOld('apiserver-old');
    await pass(1, one);
    expect(one.running).toEqual([]);
  });
});
