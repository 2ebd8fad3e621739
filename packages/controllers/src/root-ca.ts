import { decodeObject, follow, nameOfKey, settleRaces, updateExisting, WorkQueue } from '@tsukube/apiserver';
import { certificateBlocks, type JsonObject, objectIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from './controller.ts';

const name = 'kube-root-ca.crt';

/** Publishes the CA of this server in the ConfigMap kube-root-ca.crt of every namespace. */
export function rootCaPublisher(context: ControllerContext): RunningController {
  const namespaces = registryNamed(context, 'namespaces');
  const configMaps = registryNamed(context, 'configmaps');

  const publish = async (namespace: string): Promise<void> => {
    const live = await namespaces.cache.get(namespaces.key('', namespace));
    if (!live || objectIn(decodeObject(live.value), 'status')?.phase === 'Terminating') return;
    const entry = await configMaps.cache.get(configMaps.key(namespace, name));
    const writing = writeAs(configMaps, namespace);
    if (!entry) await configMaps.create(rootCaConfigMap(context.ca), writing);
    else if (bundleWith(context.ca, decodeObject(entry.value)) !== undefined) {
      await updateExisting(configMaps, name, undefined, (existing) => withBundle(existing, context.ca), writing);
    }
  };

  const queue = new WorkQueue((namespace) => settleRaces(() => publish(namespace)), context.logger);
  const stops = [
    follow(namespaces.cache, (entry) => queue.add(nameOfKey(namespaces.resource, entry.key).name)),
    follow(configMaps.cache, (entry) => {
      const key = nameOfKey(configMaps.resource, entry.key);
      if (key.name === name) queue.add(key.namespace);
    }),
  ];
  return {
    stop() {
      queue.stop();
      for (const stop of stops) stop();
    },
  };
}

const maxCertificates = 16;

/**
 * The updated bundle, or undefined if it is up to date. Servers that share a store may have different CAs: each adds its own
 * and keeps the others.
 */
function bundleWith(ca: string, object: JsonObject): string | undefined {
  const data = objectIn(object, 'data') ?? {};
  const bundle = typeof data['ca.crt'] === 'string' ? data['ca.crt'] : '';
  const found = certificateBlocks(bundle).map((block) => `${block}\n`);
  const others = found.filter((certificate) => certificate.trim() !== ca.trim()).slice(-(maxCertificates - 1));
  const complete = found.length > others.length && found.join('') === bundle && Object.keys(data).length === 1;
  return complete ? undefined : [...others, `${ca.trim()}\n`].join('');
}

function withBundle(object: JsonObject, ca: string): JsonObject {
  const bundle = bundleWith(ca, object);
  return bundle === undefined ? object : { ...object, data: { 'ca.crt': bundle } };
}

function rootCaConfigMap(ca: string): JsonObject {
  const description =
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, annotations: { 'kubernetes.io/description': description } },
    data: { 'ca.crt': ca },
  };
}
