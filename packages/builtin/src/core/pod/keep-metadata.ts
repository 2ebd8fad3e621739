import type { JsonObject } from '@tsukube/machinery';

const kept = ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences'];

/** What a subresource may not touch in metadata. */
export function keepMetadata(pod: JsonObject, old: JsonObject): void {
  const metadata = pod.metadata as JsonObject;
  const before = old.metadata as JsonObject;
  for (const field of kept) {
    const value = before[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
}
