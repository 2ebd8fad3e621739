import type { JsonObject } from '@tsukube/machinery';
import { metadataOf } from './columns.ts';

const fields = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'];

/** For kinds whose status subresource leaves the metadata alone too. */
export function keepMetadata(object: JsonObject, old: JsonObject): void {
  const [metadata, before] = [metadataOf(object), metadataOf(old)];
  for (const field of fields) {
    const value = before[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
}
