import {
  ensureObject,
  type FieldErrors,
  type FieldPath,
  fillIn,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  parseQuantity,
  path,
  quantityValue,
  textIn,
} from '@tsukube/machinery';
import { specOf } from '../common/objects.ts';
import { validateClaimSpec } from '../core/volume/persistent-volume-claim-validation.ts';

/** Defaults of an entry of volumeClaimTemplates: a whole claim with kind, apiVersion and status. */
export function defaultClaimTemplate(claim: JsonObject): void {
  claim.kind = 'PersistentVolumeClaim';
  claim.apiVersion = 'v1';
  claim.metadata ??= {};
  const spec = ensureObject(claim, 'spec');
  spec.resources ??= {};
  spec.volumeMode ??= 'Filesystem';
  fillIn(ensureObject(claim, 'status'), 'phase', 'Pending');
}

export function validateClaimTemplates(claims: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  for (const [i, claim] of claims.entries()) validateClaimSpec(specOf(claim), undefined, at.index(i).child('spec'), errors);
}

/** Warnings for fractional byte values. */
export function claimWarnings(claims: readonly JsonObject[], update: boolean): readonly string[] {
  return claims.flatMap((claim, i) => {
    const at = path('spec', 'volumeClaimTemplates').index(i);
    const resources = objectIn(objectIn(claim, 'spec'), 'resources');
    return ['requests', 'limits'].flatMap((list) => {
      const storage = mapIn(resources, list).storage;
      if (storage === undefined || quantityValue(parseQuantity(storage), -3) % 1000n === 0n) return [];
      const field = (update ? at.child('Spec') : at).child('resources', list).key('storage');
      return [`${field}: fractional byte value "${storage}" is invalid, must be an integer`];
    });
  });
}

/** Adds the volumes of the claim templates to the pod spec; they replace volumes of the same name. */
export function withClaimedVolumes(podSpec: JsonObject, claims: readonly JsonObject[]): JsonObject {
  const names = claims.map((claim) => textIn(objectIn(claim, 'metadata'), 'name'));
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const replaced = new Set(names);
  const others = objectsIn(podSpec, 'volumes').filter((volume) => !replaced.has(textIn(volume, 'name')));
  return { ...podSpec, volumes: [...claimed, ...others] };
}
