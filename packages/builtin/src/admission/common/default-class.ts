import { decodeObject, type ObjectCache } from '@tsukube/apiserver';
import { mapIn, metadataOf, textIn } from '@tsukube/machinery';

/**
 * The name of the class that one of the annotations marks as default. The newest of several; of equally old ones the first by
 * name.
 */
export function defaultClassName(classes: ObjectCache, annotations: readonly string[]): string | undefined {
  const marks = annotations.map((key) => Buffer.from(key));
  let found: { readonly name: string; readonly created: string } | undefined;
  for (const entry of classes.range(classes.prefix)) {
    // A cheap search of the bytes; the object is parsed only on a hit.
    if (!marks.some((mark) => entry.value.includes(mark))) continue;
    const metadata = metadataOf(decodeObject(entry.value));
    const given = mapIn(metadata, 'annotations');
    if (!annotations.some((key) => given[key] === 'true')) continue;
    const candidate = { name: textIn(metadata, 'name'), created: textIn(metadata, 'creationTimestamp') };
    if (!found || candidate.created > found.created) found = candidate;
  }
  return found?.name;
}
