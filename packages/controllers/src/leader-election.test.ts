import { admissionChain, ObjectRegistry, openFeed, presentAs, type Resource, WatchCache } from '@tsukube/apiserver';
import { builtinResources } from '@tsukube/builtin';
import { openMemory } from '@tsukube/storage/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ControllerContext } from './controller.ts';
import { Elector } from './leader-election.ts';

const leases = builtinResources({ eventTtlSeconds: 1 }).find(({ names }) => names.plural === 'leases') as Resource;

let clock: number;
let context: ControllerContext;
let isStoreDown: boolean;
let log: string[];

beforeEach(async () => {
  [clock, isStoreDown, log] = [1_000_000, false, []];
  const store = openMemory();
  const feed = await openFeed(store, '', () => {});
  const cache = new WatchCache(store, feed, { prefix: `${leases.storagePrefix}/`, present: presentAs(leases) });
  const registry = new ObjectRegistry(leases, cache, { admission: admissionChain([]), now: () => clock });
  const { update } = registry;
  registry.update = async (...args) => {
    if (isStoreDown) throw new Error('the store is down');
    return update.apply(registry, args);
  };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  context = { resources: [leases], registryOf: () => registry, now: () => clock, logger } as unknown as ControllerContext;
});

/** `skew` is the difference of its wall clock, in milliseconds. */
function candidate(identity: string, skew = 0): Elector {
  const lead = () => {
    log.push(`${identity} leads`);
    return { stop: () => void log.push(`${identity} stops`) };
  };
  return new Elector({ ...context, now: () => clock + skew }, { identity, lead, monotonic: () => clock });
}

/** Lets time pass, with attempts every two seconds. */
async function pass(seconds: number, ...electors: readonly Elector[]): Promise<void> {
  for (let i = 0; i < seconds; i += 2) {
    clock += 2000;
    for (const elector of electors) await elector.tick();
  }
}

describe('controllers of servers that share a store', () => {
  it('run on one of them', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(60, one, two);
    expect(log).toEqual(['one leads']);
  });

  it('are taken over within 15 seconds of a death', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(20, one, two);
    await pass(8, two);
    expect(two.isLeader).toBe(false);
    await pass(6, two);
    expect(two.isLeader).toBe(true);
  });

  it('are taken over at once if the leader stops, or restarts under its name', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(4, one, two);
    await one.stop();
    await pass(2, two);
    const restarted = candidate('two');
    await pass(2, restarted);
    expect(log).toEqual(['one leads', 'one stops', 'two leads', 'two leads']);
  });

  it('stop if the lease cannot be renewed, before another server starts them', async () => {
    const [one, two] = [candidate('one'), candidate('two')];
    await pass(4, one, two);
    isStoreDown = true;
    await pass(6, one, two);
    expect(log).toEqual(['one leads']);
    await pass(2, one, two);
    expect(log).toEqual(['one leads', 'one stops']);
    isStoreDown = false;
    await pass(6, two, one);
    expect(log).toEqual(['one leads', 'one stops', 'two leads']);
  });

  it.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ])('are not taken from a live leader by a server whose clock is an hour %s', async (_, skew) => {
    const [one, two] = [candidate('one'), candidate('two', skew)];
    await pass(30, one, two);
    expect(log).toEqual(['one leads']);
    await pass(14, two);
    expect(log).toEqual(['one leads', 'two leads']);
  });
});
