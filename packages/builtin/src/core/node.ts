import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ResourceRequest,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  objectsIn,
  path,
  StatusError,
  textIn,
  textsIn,
  warningsForCidr,
} from '@tsukube/machinery';
import { proxyNotImplemented, proxySubresource, splitSchemeNamePort } from '../common/proxy-subresource.ts';
import { schemaOf } from '../common/schema.ts';
import { specOf } from '../common/spec.ts';
import { roundResources } from './container/resource-requirements.ts';
import { validateNode, validateNodeUpdate } from './node-validation.ts';

const infoType = 'io.k8s.api.core.v1.NodeSystemInfo';
const statusType = 'io.k8s.api.core.v1.NodeStatus';
const wide = { priority: 1 };

const nodeColumns: readonly Column[] = [
  nameColumn,
  { name: 'Status', type: 'string', description: 'The status of the node', value: statusCell },
  { name: 'Roles', type: 'string', description: 'The roles of the node', value: rolesCell },
  ageColumn,
  column('Version', { type: infoType, field: 'kubeletVersion' }, (object) => textIn(infoOf(object), 'kubeletVersion')),
  column('Internal-IP', { type: statusType, field: 'addresses' }, (object) => addressOf(object, 'InternalIP'), wide),
  column('External-IP', { type: statusType, field: 'addresses' }, (object) => addressOf(object, 'ExternalIP'), wide),
  column('OS-Image', { type: infoType, field: 'osImage' }, (object) => known(infoOf(object), 'osImage'), wide),
  column('Kernel-Version', { type: infoType, field: 'kernelVersion' }, kernelCell, wide),
  column(
    'Container-Runtime',
    { type: infoType, field: 'containerRuntimeVersion' },
    (object) => known(infoOf(object), 'containerRuntimeVersion'),
    wide,
  ),
];

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
      addNotReadyTaint(object);
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

function nodeWarnings(object: KubeObject): readonly string[] {
  const spec = objectIn(object, 'spec');
  const warnings = textsIn(spec, 'podCIDRs').flatMap((cidr, i) => warningsForCidr(cidr, path('spec', 'podCIDRs').index(i)));
  if (textIn(spec, 'externalID') !== '')
    warnings.unshift('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  if (spec?.configSource !== undefined) warnings.unshift('spec.configSource: the feature is removed');
  return warnings;
}

function defaultNode(object: KubeObject): void {
  normalizePodCIDRs(specOf(object));
  const status = objectIn(object, 'status');
  if (status?.capacity !== undefined) status.allocatable ??= { ...objectIn(status, 'capacity') };
  roundResources(objectIn(status, 'capacity'));
  roundResources(objectIn(status, 'allocatable'));
}

/** Keeps podCIDRs in step with podCIDR for clients that only know podCIDR. */
function normalizePodCIDRs(spec: JsonObject): void {
  const first = textIn(spec, 'podCIDR');
  const all = textsIn(spec, 'podCIDRs');
  if (first !== '' && all[0] !== first) spec.podCIDRs = [first];
  else if (first === '' && all[0]) spec.podCIDR = all[0];
}

const notReady = 'node.kubernetes.io/not-ready';

/** Keeps pods off a new node until it is ready. */
function addNotReadyTaint(object: KubeObject): void {
  object.spec ??= {};
  const spec = specOf(object);
  const taints = objectsIn(spec, 'taints');
  if (taints.some(({ key, effect }) => key === notReady && effect === 'NoSchedule')) return;
  spec.taints = [...taints, { key: notReady, effect: 'NoSchedule' }];
}

function infoOf(object: KubeObject): JsonObject | undefined {
  return objectIn(objectIn(object, 'status'), 'nodeInfo');
}

function known(info: JsonObject | undefined, field: string): string {
  return textIn(info, field) || '<unknown>';
}

function statusCell(object: KubeObject): string {
  const ready = objectsIn(objectIn(object, 'status'), 'conditions').findLast(({ type }) => type === 'Ready');
  let status = 'Unknown';
  if (ready) status = ready.status === 'True' ? 'Ready' : 'NotReady';
  return objectIn(object, 'spec')?.unschedulable === true ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesCell(object: KubeObject): string {
  const labels = Object.entries(mapIn(object.metadata, 'labels'));
  const roles = labels.map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === 'kubernetes.io/role' ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>';
}

function addressOf(object: KubeObject, type: string): string {
  const found = objectsIn(objectIn(object, 'status'), 'addresses').find((address) => address.type === type);
  return found ? textIn(found, 'address') : '<none>';
}

function kernelCell(object: KubeObject): string {
  const info = infoOf(object);
  const architecture = textIn(info, 'architecture');
  return `${known(info, 'kernelVersion')}${architecture === '' ? '' : ` (${architecture})`}`;
}

async function proxyToNode(request: ResourceRequest): Promise<never> {
  const { name } = splitSchemeNamePort(request.info.name);
  if (!(await request.objects.cache.get(request.objects.key('', name))))
    throw StatusError.notFound({ group: '', resource: 'nodes' }, name);
  throw proxyNotImplemented(request, 'the node');
}
