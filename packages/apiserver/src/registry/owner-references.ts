import { type JsonObject, stringifyJson } from '@tsukube/machinery';

/** Owners that are named twice in the same words are kept once, with a warning. */
export function dropDuplicateOwners(metadata: JsonObject, warn: (text: string) => void): void {
  const owners = metadata.ownerReferences as JsonObject[] | undefined;
  if (!owners || owners.length < 2) return;
  const seen = new Set<string>();
  const repeated: string[] = [];
  const kept = owners.filter((owner) => {
    const text = stringifyJson(owner);
    if (!seen.has(text)) return seen.add(text);
    repeated.push(String(owner.uid));
    return false;
  });
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}
