import { type JsonObject, metadataOf } from '@tsukube/machinery';

export { statusSubresource } from '@tsukube/apiserver';

const fields = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'];

/** What is not owned through the status of such a kind. */
export const allButStatus = { 'f:metadata': {}, 'f:spec': {} };

/** For kinds whose status subresource leaves the metadata alone too. */
function keepMetadata(object: JsonObject, old: JsonObject): void {
  const [metadata, before] = [metadataOf(object), metadataOf(old)];
  for (const field of fields) {
    const value = before[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
}

/** How a status is written that takes nothing else along. */
export const statusAlone = {
  resetFields: allButStatus,
  prepareForUpdate(object: JsonObject, old: JsonObject): void {
    object.spec = old.spec ?? {};
    keepMetadata(object, old);
  },
};
