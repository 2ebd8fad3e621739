import { createHash, randomUUID } from 'node:crypto';
import {
  asServer,
  type CacheEntry,
  decodeObject,
  deleteObject,
  follow,
  HealthProblem,
  nameOfKey,
  type ObjectRegistry,
} from '@tsukube/apiserver';
import { formatMicroTime, type JsonObject, numberIn, objectIn, textIn } from '@tsukube/machinery';
import { isShared } from '../controller.ts';
import { ClockComparison } from './clock-comparison.ts';
import { type ControlPlaneContext, registryIn, type ServerEndpoint, type StartedHook } from './context.ts';

const namespace = 'kube-system';
const leaseDurationSeconds = 3600;
const identityLabel = 'apiserver.kubernetes.io/identity';

/** The identity Lease of this server in kube-system. Also deletes expired Leases of other servers. */
export function identityLease(context: ControlPlaneContext, newId: () => string = randomUUID): StartedHook {
  const registry = registryIn(context, 'coordination.k8s.io', 'leases');
  const name = serverIdentity(context.identity);
  const holderIdentity = `${name}_${newId()}`;
  const clocks = new ClockComparison(name, context.now);
  const unfollow = isShared(context) ? follow(registry.cache, (entry) => compareClock(registry, entry, clocks)) : () => {};
  // Monotonic: a wall clock that is set forward must not expire the lease.
  let renewed = performance.now();
  const renewAndCleanUp = async () => {
    await renew(registry, name, holderIdentity, context);
    renewed = performance.now();
    // The clock of this server may be wrong. On a shared store, the lease of a server that renews it is not expired.
    const isGone = (server: string) => !isShared(context) || clocks.isGone(server);
    await removeExpired(registry, context.now(), isGone);
  };
  const run = () =>
    renewAndCleanUp().catch((error: unknown) =>
      context.logger.warn('the identity lease of this server could not be renewed', { error: String(error) }),
    );
  void run();
  // An embedded store has no other reader of the lease.
  const timer = setInterval(() => void run(), isShared(context) ? 10_000 : 600_000).unref();
  return {
    stop() {
      clearInterval(timer);
      unfollow();
    },
    checkReadiness() {
      const problem = clocks.problem();
      if (problem !== undefined) throw new HealthProblem(problem);
    },
    check() {
      if (performance.now() - renewed > leaseDurationSeconds * 1000)
        throw new Error('the identity lease of this server has expired');
    },
  };
}

function compareClock(
  { resource }: ObjectRegistry,
  { key, value, revision, created }: CacheEntry,
  clocks: ClockComparison,
): void {
  const { namespace: place, name } = nameOfKey(resource, key);
  if (place !== namespace || !name.startsWith('apiserver-')) return;
  const renewedAt = Date.parse(textIn(objectIn(decodeObject(value), 'spec'), 'renewTime'));
  clocks.observe({ server: name, created, revision, renewedAt });
}

/** The name of a server, the same after a restart. Includes the port, which distinguishes servers on one host. */
export function serverIdentity({ hostname, address, port }: ServerEndpoint): string {
  const hash = createHash('sha256')
    .update(`${hostname}/${address ?? ''}:${port}`)
    .digest()
    .subarray(0, 16);
  return `apiserver-${base32(hash)}`;
}

function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

async function renew(
  registry: ObjectRegistry,
  name: string,
  holderIdentity: string,
  { identity, now }: ControlPlaneContext,
): Promise<void> {
  const renewed = (existing: JsonObject | undefined): JsonObject => ({
    ...(existing ?? { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' }),
    metadata: { ...objectIn(existing, 'metadata'), name, namespace, ...labelsAndAnnotations(identity) },
    spec: { holderIdentity, leaseDurationSeconds, renewTime: formatMicroTime(now()) },
  });
  const context = asServer(registry, namespace);
  if (await registry.cache.get(registry.key(namespace, name))) await registry.update(name, undefined, renewed, context);
  else await registry.create(renewed(undefined), context);
}

function labelsAndAnnotations({ hostname, address, port }: ServerEndpoint): JsonObject {
  const labels = { [identityLabel]: 'kube-apiserver', 'kubernetes.io/hostname': hostname };
  return address === undefined
    ? { labels }
    : { labels, annotations: { 'kubernetes.io/peer-advertise-address': `${address}:${port}` } };
}

/** By the wall clock, which may be wrong: a server that is seen to renew its lease keeps it. */
async function removeExpired(registry: ObjectRegistry, now: number, isGone: (server: string) => boolean): Promise<void> {
  for (const { value } of registry.cache.slice(registry.prefix(namespace))) {
    const lease = decodeObject(value);
    const { metadata } = lease;
    if (metadata.labels?.[identityLabel] !== 'kube-apiserver') continue;
    const spec = objectIn(lease, 'spec');
    const expires = Date.parse(textIn(spec, 'renewTime')) + numberIn(spec, 'leaseDurationSeconds') * 1000;
    // No server writes a lease without a time (NaN): it is expired, too.
    const name = metadata.name ?? '';
    if (!(expires >= now) && isGone(name)) await deleteObject(registry, name, {}, asServer(registry, namespace)).catch(() => {});
  }
}
