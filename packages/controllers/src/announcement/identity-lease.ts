import { createHash, randomUUID } from 'node:crypto';
import { asServer, decodeObject, deleteObject, type ObjectRegistry } from '@tsukube/apiserver';
import { formatMicroTime, type JsonObject } from '@tsukube/machinery';
import { type Announced, type AnnouncementContext, isShared, registryIn, type ServerIdentity } from './announcement.ts';

const namespace = 'kube-system';
const leaseDurationSeconds = 3600;
const identityLabel = 'apiserver.kubernetes.io/identity';

/** Says of this server that it is alive, and forgets those that have long been dead. */
export function identityLease(context: AnnouncementContext): Announced {
  const registry = registryIn(context, 'coordination.k8s.io', 'leases');
  const name = leaseName(context.identity);
  const holderIdentity = `${name}_${randomUUID()}`;
  // A wall clock that is set forward says nothing about renewals.
  let renewed = performance.now();
  const turn = async () => {
    await renew(registry, name, holderIdentity, context);
    renewed = performance.now();
    await removeExpired(registry, context.now());
  };
  const run = () =>
    turn().catch((error: unknown) =>
      context.logger.warn('the lease of this server could not be renewed', { error: String(error) }),
    );
  void run();
  // A store of our own need not be told every few seconds.
  const timer = setInterval(() => void run(), isShared(context) ? 10_000 : 600_000).unref();
  return {
    stop: () => clearInterval(timer),
    check() {
      if (performance.now() - renewed > leaseDurationSeconds * 1000) throw new Error('the lease of this server has expired');
    },
  };
}

/** Servers on one host differ by their port. */
function leaseName({ hostname, address, port }: ServerIdentity): string {
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
  { identity, now }: AnnouncementContext,
): Promise<void> {
  const wanted = (existing: JsonObject | undefined): JsonObject => ({
    ...(existing ?? { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' }),
    metadata: { ...(existing?.metadata as JsonObject | undefined), name, namespace, ...marks(identity) },
    spec: { holderIdentity, leaseDurationSeconds, renewTime: formatMicroTime(now()) },
  });
  const context = asServer(registry, namespace);
  if (await registry.cache.get(registry.key(namespace, name))) await registry.update(name, undefined, wanted, context);
  else await registry.create(wanted(undefined), context);
}

function marks({ hostname, address, port }: ServerIdentity): JsonObject {
  const labels = { [identityLabel]: 'kube-apiserver', 'kubernetes.io/hostname': hostname };
  return address === undefined
    ? { labels }
    : { labels, annotations: { 'kubernetes.io/peer-advertise-address': `${address}:${port}` } };
}

async function removeExpired(registry: ObjectRegistry, now: number): Promise<void> {
  for (const { value } of registry.cache.slice(registry.prefix(namespace))) {
    const { metadata, spec } = decodeObject(value) as { metadata: JsonObject; spec?: JsonObject };
    if ((metadata.labels as JsonObject | undefined)?.[identityLabel] !== 'kube-apiserver') continue;
    const expires = Date.parse(String(spec?.renewTime)) + Number(spec?.leaseDurationSeconds ?? 0) * 1000;
    if (expires < now) await deleteObject(registry, metadata.name as string, {}, asServer(registry, namespace)).catch(() => {});
  }
}
