import type { Any, Client } from '../../../support/client.ts';

const resources: Readonly<Record<string, string>> = {
  deployments: '/apis/apps/v1',
  replicasets: '/apis/apps/v1',
  statefulsets: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  controllerrevisions: '/apis/apps/v1',
  jobs: '/apis/batch/v1',
  horizontalpodautoscalers: '/apis/autoscaling/v2',
  pods: '/api/v1',
  endpoints: '/api/v1',
  endpointslices: '/apis/discovery.k8s.io/v1',
  events: '/api/v1',
};

/** The objects of a namespace, without what differs from run to run: uids, times, addresses, random names and hashes. */
export async function snapshot(client: Client, namespace: string): Promise<Any> {
  const found: Record<string, Any[]> = {};
  for (const [plural, base] of Object.entries(resources)) {
    const { body } = await client.get(`${base}/namespaces/${namespace}/${plural}`);
    found[plural] = body.items;
  }
  const hashes = hashesOf(found);
  const result: Record<string, Any> = {};
  for (const [plural, items] of Object.entries(found)) {
    const plain = items.map((item) => (plural === 'events' ? eventText(item) : withoutNoise(item)));
    const texts = plain.map((item) => masked(JSON.stringify(item), namespace, hashes));
    const counts = new Map<string, number>();
    for (const text of texts.sort()) counts.set(text, (counts.get(text) ?? 0) + 1);
    if (counts.size > 0)
      result[plural] = [...counts].map(([text, count]) =>
        plural === 'events' ? JSON.parse(text) : { count, ...JSON.parse(text) },
      );
  }
  return result;
}

/** How often an Event was repeated depends on timing. */
function eventText({ type, reason, message, involvedObject, source, reportingComponent }: Any): string {
  return `${involvedObject.kind}/${involvedObject.name} ${type} ${reason}: ${message} (${source.component}, ${reportingComponent})`;
}

function withoutNoise({ metadata, spec, ...rest }: Any): Any {
  const { managedFields, resourceVersion, uid, creationTimestamp, name, namespace, ...meta } = metadata;
  // Triggers are timestamps that only kube-controller-manager writes.
  if (meta.annotations) delete meta.annotations['endpoints.kubernetes.io/last-change-trigger-time'];
  if (meta.annotations && Object.keys(meta.annotations).length === 0) delete meta.annotations;
  return { metadata: { name: meta.generateName ? `${meta.generateName}*` : name, ...meta }, ...(spec && { spec }), ...rest };
}

function hashesOf(found: Record<string, Any[]>): Map<string, string> {
  const revision = ({ metadata, revision: number }: Any) =>
    number ?? Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
  const hash = ({ metadata }: Any) =>
    metadata.labels?.['pod-template-hash'] ??
    metadata.labels?.['controller.kubernetes.io/hash'] ??
    metadata.labels?.['controller-revision-hash'];
  const sets = [...(found.replicasets ?? []), ...(found.controllerrevisions ?? [])];
  // Rolled back revisions are renumbered, so the image tells them apart.
  const ordered = sets.filter(hash).sort((a, b) => (imageOf(a) < imageOf(b) ? -1 : 1) || revision(a) - revision(b));
  return new Map(ordered.map((set) => [hash(set), `HASH-${imageOf(set)}`]));
}

function imageOf({ spec, data }: Any): string {
  return (spec ?? data.spec).template.spec.containers[0].image;
}

const time = /"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"/g;
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function masked(text: string, namespace: string, hashes: ReadonlyMap<string, string>): string {
  let result = text.replaceAll(namespace, 'NAMESPACE');
  for (const [hash, token] of hashes) result = result.replaceAll(hash, token);
  return result
    .replace(time, '"TIME"')
    .replace(uid, 'UID')
    .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-*')
    .replace(/\b(?:10|192)\.[0-9]+\.[0-9]+\.[0-9]+\b/g, 'IP')
    .replace(/\bnode-[0-9]\b/g, 'NODE')
    .replace(/\b(HASH-[a-z0-9:.]+|agent|pi|bad)(-[0-9])?-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1$2-*');
}
