import type { KubeObject } from '@tsukube/machinery';

const metadataFields = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'];

/** resetFields of a status subresource that writes the status only. */
const allButStatus = { 'f:metadata': {}, 'f:spec': {} };

/** Restores the old metadata, except for managedFields; ResetObjectMetaForStatus in Kubernetes. */
export function resetObjectMetaForStatus(object: KubeObject, old: KubeObject): void {
  const [metadata, before] = [object.metadata, old.metadata];
  for (const field of metadataFields) {
    const value = before[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
}

/** Status strategy of kinds whose status subresource changes neither spec nor metadata. */
export const statusOnly = {
  resetFields: allButStatus,
  prepareForUpdate(object: KubeObject, old: KubeObject): void {
    object.spec = old.spec ?? {};
    resetObjectMetaForStatus(object, old);
  },
};
