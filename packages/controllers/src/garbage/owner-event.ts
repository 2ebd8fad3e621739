import type { ObjectRegistry } from '@tsukube/apiserver';
import { apiVersionOf, formatTime, type JsonObject } from '@tsukube/machinery';
import { type ControllerContext, registryNamed, writeAs } from '../controller.ts';
import type { OwnerReference } from './owner-graph.ts';

const component = 'garbage-collector-controller';

/** Tells whoever looks at an object that it names an owner of another namespace. */
export async function reportMisplacedOwner(
  registry: ObjectRegistry,
  metadata: JsonObject,
  { apiVersion, kind, name, uid }: OwnerReference,
  context: ControllerContext,
): Promise<void> {
  const events = registryNamed(context, 'events');
  const namespace = (metadata.namespace ?? '') as string;
  const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const now = context.now();
  const event: JsonObject = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${metadata.name}.${(BigInt(now) * 1_000_000n).toString(16)}` },
    involvedObject: {
      kind: registry.resource.names.kind,
      ...(namespace !== '' && { namespace }),
      name: metadata.name as string,
      uid: metadata.uid as string,
      apiVersion: apiVersionOf(registry.resource.hub),
    },
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
    source: { component },
    firstTimestamp: formatTime(now),
    lastTimestamp: formatTime(now),
    count: 1,
    type: 'Warning',
    eventTime: null,
    reportingComponent: component,
    reportingInstance: '',
  };
  await events.create(event, writeAs(events, namespace || 'default'));
}
