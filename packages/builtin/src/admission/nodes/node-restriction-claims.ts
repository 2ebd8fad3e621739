import { forbiddenByAdmission } from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, metadataOf, objectIn } from '@tsukube/machinery';
import { internalDiff, internalForm } from '../../common/internal-types.ts';
import type { NodeWrite } from './node-restriction-nodes.ts';

const type = 'PersistentVolumeClaim';

/** Nodes may update only the resize status of a PersistentVolumeClaim. */
export function restrictClaim({ node, attributes }: NodeWrite): void {
  const { operation, subresource, object, oldObject } = attributes;
  if (subresource !== 'status') throw forbiddenByAdmission(attributes, 'may only update PVC status');
  if (operation !== 'UPDATE' || !object || !oldObject)
    throw forbiddenByAdmission(attributes, `unexpected operation ${goQuote(operation)}`);
  const [old, now] = [fixedPart(oldObject), fixedPart(object)];
  if (deepEqual(internalForm(old, type), internalForm(now, type))) return;
  const rest = 'is not allowed to update fields other than status.quantity and status.conditions';
  throw forbiddenByAdmission(attributes, `node ${goQuote(node)} ${rest}: ${internalDiff(old, now, type)}`);
}

const metadataOrder = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
];

/** The claim without the fields that nodes may write or that every write changes. */
function fixedPart(claim: JsonObject): JsonObject {
  const {
    capacity: _,
    conditions: _1,
    allocatedResources: _2,
    allocatedResourceStatuses: _3,
    ...status
  } = objectIn(claim, 'status') ?? {};
  const given = metadataOf(claim);
  const metadata: JsonObject = {};
  for (const field of metadataOrder) {
    const value = given[field];
    if (value !== undefined && !isEmpty(value)) metadata[field] = value;
  }
  return { metadata, spec: claim.spec ?? {}, status };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
