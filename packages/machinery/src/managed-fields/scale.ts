import type { JsonObject } from '../json/value.ts';
import { difference, type FieldSet, hasPath, isEmptySet } from './field-set.ts';
import { managedFieldsOf, storedOwners } from './managed-fields.ts';
import { type Owner, ownerText } from './owners.ts';
import type { PathElement } from './path-element.ts';

type Path = readonly PathElement[];

/** The path of the replicas field in a version: `none` if it has none, undefined for an unknown version. */
export type ReplicasPath = (apiVersion: string) => Path | 'none' | undefined;

const scaleVersion = 'autoscaling/v1';
const pathInScale: Path = ['f:spec', 'f:replicas'];

/** managedFields of the scale subresource: the entries that own the replicas field. */
export function scaleManagedFields(metadata: JsonObject, pathIn: ReplicasPath): JsonObject[] | undefined {
  const fields = setOf(pathInScale);
  const owners = (storedOwners(metadata) ?? [])
    .filter((owner) => ownsReplicas(owner, pathIn))
    .map((owner) => ({ ...owner, apiVersion: scaleVersion, fields }));
  return managedFieldsOf(owners);
}

/**
 * managedFields of an object after a write to its scale, which has managedFields of its own. Update entries are identified by
 * version too, so a manager that updated the object and still owns replicas gets a separate entry.
 */
export function managedFieldsAfterScale(
  metadata: JsonObject,
  scale: JsonObject,
  apiVersion: string,
  pathIn: ReplicasPath,
): JsonObject[] | undefined {
  const before = storedOwners(metadata) ?? [];
  const scaling = new Map((storedOwners(scale) ?? []).map((owner) => [ownerText(owner), owner]));
  const times = new Map(before.map((owner) => [ownerText(owner), owner.time]).reverse() as [string, string | undefined][]);
  const kept: Owner[] = [];
  for (const owner of before) {
    const path = pathIn(owner.apiVersion);
    if (path === undefined) continue;
    if (!ownsReplicas(owner, pathIn) || scaling.delete(ownerText(owner))) kept.push(owner);
    else kept.push(...withoutPath(owner, path as Path));
  }
  const own = pathIn(apiVersion) as Path;
  for (const [text, owner] of scaling) {
    if (!hasPath(owner.fields, pathInScale)) continue;
    kept.push({ ...owner, apiVersion, time: times.get(text), fields: setOf(own) });
  }
  return managedFieldsOf(kept);
}

function ownsReplicas({ apiVersion, fields }: Owner, pathIn: ReplicasPath): boolean {
  const path = pathIn(apiVersion);
  return path !== undefined && path !== 'none' && hasPath(fields, path);
}

function withoutPath(owner: Owner, path: Path): Owner[] {
  const fields = difference(owner.fields, setOf(path));
  return isEmptySet(fields) ? [] : [{ ...owner, fields }];
}

function setOf(path: Path): FieldSet {
  return path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), {});
}
