import { type JsonObject, metadataOf } from '@tsukube/machinery';

export { statusSubresource } from '@tsukube/apiserver';

const metadataFields = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'];

/** resetFields of a status subresource that writes the status only. */
export const allButStatus = { 'f:metadata': {}, 'f:spec': {} };

/** Restores the old metadata, except for managedFields. Named ResetObjectMetaForStatus in Kubernetes. */
function resetObjectMetaForStatus(object: JsonObject, old: JsonObject): void {
  const [metadata, before] = [metadataOf(object), metadataOf(old)];
  for (const field of metadataFields) {
    const value = before[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
}

/** Status strategy of kinds whose status subresource changes neither spec nor metadata. */
export const statusOnly = {
  resetFields: allButStatus,
  prepareForUpdate(object: JsonObject, old: JsonObject): void {
    object.spec = old.spec ?? {};
    resetObjectMetaForStatus(object, old);
  },
};
