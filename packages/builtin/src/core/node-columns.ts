import type { Column } from '@tsukube/apiserver';
import { type JsonObject, mapIn, metadataOf, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../common/columns.ts';

const infoType = 'io.k8s.api.core.v1.NodeSystemInfo';
const statusType = 'io.k8s.api.core.v1.NodeStatus';
const wide = { priority: 1 };

export const nodeColumns: readonly Column[] = [
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

function infoOf(object: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(object, 'status'), 'nodeInfo');
}

function known(info: JsonObject | undefined, field: string): string {
  return textIn(info, field) || '<unknown>';
}

function statusCell(object: JsonObject): string {
  const ready = objectsIn(objectIn(object, 'status'), 'conditions').findLast(({ type }) => type === 'Ready');
  let status = 'Unknown';
  if (ready) status = ready.status === 'True' ? 'Ready' : 'NotReady';
  return objectIn(object, 'spec')?.unschedulable === true ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesCell(object: JsonObject): string {
  const labels = Object.entries(mapIn(metadataOf(object), 'labels'));
  const roles = labels.map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === 'kubernetes.io/role' ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>';
}

function addressOf(object: JsonObject, type: string): string {
  const found = objectsIn(objectIn(object, 'status'), 'addresses').find((address) => address.type === type);
  return found ? textIn(found, 'address') : '<none>';
}

function kernelCell(object: JsonObject): string {
  const info = infoOf(object);
  const architecture = textIn(info, 'architecture');
  return `${known(info, 'kernelVersion')}${architecture === '' ? '' : ` (${architecture})`}`;
}
