import type { JsonObject } from '@tsukube/machinery';

/** What is to become of the objects that belong to one that is deleted. */
export interface Propagation {
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
}

/** What becomes of them if the request does not say. `unsupported`: nothing, whatever it says. */
export type DefaultPropagation = 'delete' | 'orphan' | 'unsupported';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/** Puts on an object the finalizers that make the garbage collector do what was asked, and takes off the others. */
export function setPropagation(metadata: JsonObject, asked: Propagation, fallback: DefaultPropagation): void {
  const finalizers = (metadata.finalizers ?? []) as string[];
  const wanted = fallback === 'unsupported' ? undefined : wantedFinalizer(finalizers, asked, fallback);
  const present = finalizers.filter(isOurs);
  if (present.length === (wanted === undefined ? 0 : 1) && present[0] === wanted) return;
  const others = finalizers.filter((finalizer) => !isOurs(finalizer));
  const rest = wanted === undefined ? others : [...others, wanted];
  if (rest.length > 0) metadata.finalizers = rest;
  else delete metadata.finalizers;
}

function isOurs(finalizer: string): boolean {
  return finalizer === orphanFinalizer || finalizer === foregroundFinalizer;
}

/** What the request says holds, then what the object says, then what is usual for its kind. */
function wantedFinalizer(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: Propagation,
  fallback: DefaultPropagation,
): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? orphanFinalizer : undefined;
  if (propagationPolicy === 'Orphan') return orphanFinalizer;
  if (propagationPolicy === 'Foreground') return foregroundFinalizer;
  if (propagationPolicy === 'Background') return undefined;
  return finalizers.find(isOurs) ?? (fallback === 'orphan' ? orphanFinalizer : undefined);
}
