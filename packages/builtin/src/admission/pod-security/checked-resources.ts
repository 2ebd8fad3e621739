import { type JsonObject, objectIn } from '@tsukube/machinery';

/** A pod, or the template of the pods of a workload. */
export interface PodTemplate {
  readonly metadata: JsonObject | undefined;
  readonly spec: JsonObject;
}

/** A resource that the plugin checks. */
export interface CheckedResource {
  readonly group: string;
  readonly is: 'namespace' | 'pod' | 'workload';
  /** The fields that lead to the template. */
  readonly template: readonly string[];
}

const workload = (group: string, ...template: string[]): CheckedResource => ({ group, is: 'workload', template });

/** By plural name. */
export const checkedResources: ReadonlyMap<string, CheckedResource> = new Map([
  ['namespaces', { group: '', is: 'namespace', template: [] }],
  ['pods', { group: '', is: 'pod', template: [] }],
  ['replicationcontrollers', workload('', 'spec', 'template')],
  ['podtemplates', workload('', 'template')],
  ['replicasets', workload('apps', 'spec', 'template')],
  ['deployments', workload('apps', 'spec', 'template')],
  ['statefulsets', workload('apps', 'spec', 'template')],
  ['daemonsets', workload('apps', 'spec', 'template')],
  ['jobs', workload('batch', 'spec', 'template')],
  ['cronjobs', workload('batch', 'spec', 'jobTemplate', 'spec', 'template')],
]);

/** Undefined if a ReplicationController has no template. */
export function podTemplateOf(object: JsonObject | undefined, { template }: CheckedResource): PodTemplate | undefined {
  const found = template.reduce<JsonObject | undefined>((owner, field) => objectIn(owner, field), object);
  return found && { metadata: objectIn(found, 'metadata'), spec: objectIn(found, 'spec') ?? {} };
}
