import type { metaV1 } from '@tsukube/api/kinds';
import type { ApiObject } from '@tsukube/client';
import { controllerOf, type JsonObject, type LabelSelector, labelSelectorOf } from '@tsukube/machinery';
import type { Cluster, Kinds, Plural } from '../cluster/cluster.ts';
import { typed } from '../cluster/values.ts';

/** The owner reference of a controller. */
export function controllerRef({ apiVersion, kind, metadata }: ApiObject): metaV1.OwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** For indexes of objects by their controller. */
export function controllerUid(object: ApiObject): string | undefined {
  return controllerOf(object.metadata)?.uid;
}

/** Matches nothing if the selector is absent or malformed. */
export function selectorOf(selector: metaV1.LabelSelector | undefined): LabelSelector {
  return labelSelectorOf(selector && typed<JsonObject>(selector));
}

export function matches(selector: LabelSelector, { metadata }: ApiObject): boolean {
  return selector.matches(metadata.labels ?? {});
}

/**
 * The objects of a namespace that belong to an owner: adopts orphans that the selector matches, and releases what it no longer
 * matches. An owner that is being deleted adopts and releases nothing.
 */
export async function claim<P extends Plural>(
  cluster: Cluster,
  plural: P,
  owner: ApiObject,
  selector: LabelSelector,
  mayAdopt: (object: Kinds[P]) => boolean = () => true,
): Promise<Kinds[P][]> {
  const isDeleted = owner.metadata.deletionTimestamp !== undefined;
  const claimed: Kinds[P][] = [];
  for (const object of cluster.objects(plural).list(owner.metadata.namespace ?? '')) {
    const ref = controllerOf(object.metadata);
    const isMatch = matches(selector, object);
    if (ref?.uid === owner.metadata.uid) {
      if (isMatch) claimed.push(object);
      else if (!isDeleted && object.metadata.deletionTimestamp === undefined) await release(cluster, plural, object, owner);
    } else if (!ref && isMatch && !isDeleted && object.metadata.deletionTimestamp === undefined && mayAdopt(object)) {
      claimed.push(await adopt(cluster, plural, object, owner));
    }
  }
  return claimed;
}

function adopt<P extends Plural>(cluster: Cluster, plural: P, object: Kinds[P], owner: ApiObject): Promise<Kinds[P]> {
  const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerRef(owner)];
  return cluster.update(plural, { ...object, metadata: { ...object.metadata, ownerReferences } });
}

async function release<P extends Plural>(cluster: Cluster, plural: P, object: Kinds[P], owner: ApiObject): Promise<void> {
  const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid);
  await cluster.update(plural, { ...object, metadata: { ...object.metadata, ownerReferences } as metaV1.ObjectMeta });
}
