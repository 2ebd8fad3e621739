import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  parseQuantity,
  path,
  quantityValue,
} from '@tsukube/machinery';
import { fillIn, mapIn, objectIn, objectsIn, textIn, textsIn } from '../core/pod-spec/members.ts';
import { ensureObject } from '../ensure-object.ts';

/** A claim within a stateful set says what it is, and has the status of one that is new. */
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
  for (const [i, claim] of claims.entries()) validateClaim(objectIn(claim, 'spec') ?? {}, at.index(i).child('spec'), errors);
}

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const volumeModes = ['Block', 'Filesystem'];

function validateClaim(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateAccessModes(textsIn(spec, 'accessModes'), at.child('accessModes'), errors);
  validateStorage(spec, at.child('resources').key('storage'), errors);
  const storageClass = textIn(spec, 'storageClassName');
  if (storageClass !== '')
    for (const problem of isDNS1123Subdomain(storageClass)) errors.invalid(at.child('storageClassName'), storageClass, problem);
  if (spec.volumeMode !== undefined && !volumeModes.includes(textIn(spec, 'volumeMode')))
    errors.notSupported(at.child('volumeMode'), spec.volumeMode, volumeModes);
}

function validateAccessModes(modes: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (modes.length === 0) errors.required(at, 'at least 1 access mode is required');
  for (const mode of modes) if (!accessModes.includes(mode)) errors.notSupported(at, mode, accessModes);
  if (modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode)))
    errors.forbidden(at, 'may not use ReadWriteOncePod with other access modes');
}

function validateStorage(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const storage = mapIn(objectIn(spec, 'resources'), 'requests').storage;
  if (storage === undefined) errors.required(at);
  else if (parseQuantity(storage).mantissa <= 0n) errors.invalid(at, storage, 'must be greater than zero');
}

/** Storage is counted in whole bytes. */
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

/** The volumes that pods will have because of claims, beside those of the template that no claim replaces. */
export function withClaimedVolumes(podSpec: JsonObject, claims: readonly JsonObject[]): JsonObject {
  const names = claims.map((claim) => textIn(objectIn(claim, 'metadata'), 'name'));
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = objectsIn(podSpec, 'volumes').filter((volume) => !names.includes(textIn(volume, 'name')));
  return { ...podSpec, volumes: [...claimed, ...others] };
}
