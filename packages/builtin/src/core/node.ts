import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type JsonObject, objectIn, objectsIn, path, textIn, textsIn, warningsForCidr } from '@tsukube/machinery';
import { proxySubresource } from '../common/proxy-subresource.ts';
import { schemaOf } from '../common/schema.ts';
import { statusSubresource } from '../common/status-subresource.ts';
import { roundResources } from './container/resource-list.ts';
import { nodeColumns } from './node-columns.ts';
import { validateNode, validateNodeUpdate } from './node-validation.ts';
import { proxyToNode } from './service/service-proxy.ts';

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Node'),
  columns: nodeColumns,
  selectableFields: { 'spec.unschedulable': (object) => String(objectIn(object, 'spec')?.unschedulable === true) },
};

export const node: Resource = {
  names: { plural: 'nodes', singular: 'node', kind: 'Node', listKind: 'NodeList', shortNames: ['no'] },
  scope: 'Cluster',
  storagePrefix: '/registry/minions',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateNodeUpdate, {
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
        const status = objectIn(object, 'status');
        if (objectIn(old, 'status')?.config === undefined) delete status?.config;
      },
    }),
    proxy: proxySubresource('NodeProxyOptions', proxyToNode),
  },
  strategy: {
    applyDefaults: defaultNode,
    prepareForCreate(object) {
      delete objectIn(object, 'spec')?.configSource;
      delete objectIn(object, 'status')?.config;
      taintAsNotReady(object);
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      if (objectIn(old, 'spec')?.configSource === undefined) delete objectIn(object, 'spec')?.configSource;
    },
    warnings: nodeWarnings,
    validateCreate: validateNode,
    validateUpdate(object, old, errors) {
      validateNode(object, errors);
      validateNodeUpdate(object, old, errors);
    },
  },
};

function nodeWarnings(object: JsonObject): readonly string[] {
  const spec = objectIn(object, 'spec');
  const warnings = textsIn(spec, 'podCIDRs').flatMap((cidr, i) => warningsForCidr(cidr, path('spec', 'podCIDRs').index(i)));
  if (textIn(spec, 'externalID') !== '')
    warnings.unshift('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  if (spec?.configSource !== undefined) warnings.unshift('spec.configSource: the feature is removed');
  return warnings;
}

function defaultNode(object: JsonObject): void {
  alignPodCidrs(objectIn(object, 'spec') ?? {});
  const status = objectIn(object, 'status');
  if (status?.capacity !== undefined) status.allocatable ??= { ...(status.capacity as JsonObject) };
  roundResources(objectIn(status, 'capacity'));
  roundResources(objectIn(status, 'allocatable'));
}

/** Old clients know one range only. */
function alignPodCidrs(spec: JsonObject): void {
  const first = textIn(spec, 'podCIDR');
  const all = textsIn(spec, 'podCIDRs');
  if (first !== '' && all[0] !== first) spec.podCIDRs = [first];
  else if (first === '' && all[0]) spec.podCIDR = all[0];
}

const notReady = 'node.kubernetes.io/not-ready';

/** Nothing is to be scheduled on a node before it is known to be ready. */
function taintAsNotReady(object: JsonObject): void {
  object.spec ??= {};
  const spec = object.spec as JsonObject;
  const taints = objectsIn(spec, 'taints');
  if (taints.some(({ key, effect }) => key === notReady && effect === 'NoSchedule')) return;
  spec.taints = [...taints, { key: notReady, effect: 'NoSchedule' }];
}
