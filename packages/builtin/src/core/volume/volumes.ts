import {
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  parseQuantity,
  textIn,
  zeroQuantity,
} from '@tsukube/machinery';
import { requireText, validateDNSLabel, validateFileMode, validateNonReservedPath } from '../../common/field-validation.ts';
import { validatePullPolicy } from '../container/containers.ts';
import type { Volumes } from '../container/mounts.ts';
import { type SourceCheck, sourceChecks, validateDownwardFile, validateKeyToPath } from './volume-sources.ts';

/** The pod or template that has the volumes. */
interface VolumeOwner {
  readonly isPod: boolean;
  /** Empty if unknown. */
  readonly name: string;
}

/** Returns the valid volumes, which containers may mount. */
export function validateVolumes(spec: JsonObject, owner: VolumeOwner, at: FieldPath, errors: FieldErrors): Volumes {
  const known = new Map<string, JsonObject>();
  const volumes = objectsIn(spec, 'volumes');
  const generated = new Set(volumes.flatMap(({ name, ephemeral }) => (ephemeral === undefined ? [] : [`${owner.name}-${name}`])));
  for (const [i, volume] of volumes.entries()) {
    const here = at.index(i);
    const name = textIn(volume, 'name');
    const before = errors.length;
    validateSource(volume, owner, here, errors);
    if (name === '') errors.required(here.child('name'));
    else validateDNSLabel(name, here.child('name'), errors);
    if (known.has(name)) errors.duplicate(here.child('name'), name);
    if (errors.length === before) known.set(name, volume);
    if (owner.name !== '') validateClaim(volume, generated, here, errors);
  }
  return known;
}

/** The claim generated for an ephemeral volume of the pod cannot be mounted by name as well. */
function validateClaim(volume: JsonObject, generated: ReadonlySet<string>, at: FieldPath, errors: FieldErrors): void {
  const claim = textIn(objectIn(volume, 'persistentVolumeClaim'), 'claimName');
  if (claim === '' || !generated.has(claim)) return;
  const message = 'must not reference a PVC that gets created for an ephemeral volume';
  errors.invalid(at.child('persistentVolumeClaim', 'claimName'), claim, message);
}

type SourceChecks = ReadonlyMap<string, SourceCheck>;

function checksFor(isPod: boolean): SourceChecks {
  const image: SourceCheck = (source, at, errors) => {
    if (isPod && textIn(source, 'reference') === '') errors.required(at.child('reference'));
    validatePullPolicy(textIn(source, 'pullPolicy'), at.child('pullPolicy'), errors);
  };
  return new Map(Object.entries({ emptyDir: validateEmptyDir, ...sourceChecks, projected: validateProjected, image }));
}
const podChecks = checksFor(true);
const templateChecks = checksFor(false);

/** Sources whose name in error paths differs from the field name. */
const forbiddenAs: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };
const checkedAs: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

/** Requires exactly one source. */
function validateSource(volume: JsonObject, owner: VolumeOwner, at: FieldPath, errors: FieldErrors): void {
  const checks = owner.isPod ? podChecks : templateChecks;
  const [kind, ...others] = sourcesOf(volume, checks);
  if (kind === undefined) errors.required(at, 'must specify a volume type');
  else checks.get(kind)?.(objectIn(volume, kind) ?? {}, at.child(checkedAs[kind] ?? kind), errors);
  for (const other of others) errors.forbidden(at.child(forbiddenAs[other] ?? other), 'may not specify more than 1 volume type');
  validateNames(volume, owner, at.child('name'), errors);
}

/** The sources of a volume in the order of validation. */
function sourcesOf(volume: JsonObject, checks: SourceChecks): readonly string[] {
  const found = Object.keys(volume).filter((key) => checks.has(key));
  return found.length < 2 ? found : [...checks.keys()].filter((kind) => found.includes(kind));
}

function validateEmptyDir(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const limit = textIn(source, 'sizeLimit');
  if (limit !== '' && compareQuantities(parseQuantity(limit), zeroQuantity) < 0)
    errors.forbidden(at.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity');
}

const maxPortalLength = 64;

/** Names of generated claims consist of the names of pod and volume, and must be valid. */
function validateNames(volume: JsonObject, owner: VolumeOwner, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(volume, 'name');
  const iscsi = objectIn(volume, 'iscsi');
  if (iscsi?.initiatorName !== undefined && `${name}:${textIn(iscsi, 'targetPortal')}`.length > maxPortalLength) {
    const message =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    errors.invalid(at, name, message);
  }
  if (!volume.ephemeral || owner.name === '' || name === '') return;
  const claim = `${owner.name}-${name}`;
  for (const problem of nameIsDNSSubdomain(claim, false)) errors.invalid(at, name, `PVC name "${claim}": ${problem}`);
}

const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

/** Paths of all sources of a projected volume must differ. */
function validateProjected(projected: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateFileMode(projected, 'defaultMode', at, errors);
  const paths = new Set<string>();
  const claim = (path: string, shown: string) => {
    if (path !== '' && paths.has(path)) errors.invalid(at, shown, 'conflicting duplicate paths');
    paths.add(path);
  };
  for (const [i, source] of objectsIn(projected, 'sources').entries()) {
    const here = at.child('sources').index(i);
    for (const kind of ['secret', 'configMap']) validateKeys(objectIn(source, kind), here.child(kind), claim, errors);
    for (const file of objectsIn(objectIn(source, 'downwardAPI'), 'items')) {
      validateDownwardFile(file, here.child('downwardAPI'), errors);
      claim(textIn(file, 'path'), textIn(file, 'path'));
    }
    validateToken(objectIn(source, 'serviceAccountToken'), here.child('serviceAccountToken'), at, errors);
    if (Object.keys(source).length > 1) errors.forbidden(here, 'may not specify more than 1 volume type per source');
  }
}

type Claim = (path: string, shown: string) => void;

function validateKeys(source: JsonObject | undefined, at: FieldPath, claim: Claim, errors: FieldErrors): void {
  if (!source) return;
  requireText(source, 'name', at, errors);
  for (const [i, item] of objectsIn(source, 'items').entries()) {
    validateKeyToPath(item, at.child('items').index(i), errors);
    claim(textIn(item, 'path'), textIn(source, 'name'));
  }
}

function validateToken(token: JsonObject | undefined, at: FieldPath, volume: FieldPath, errors: FieldErrors): void {
  if (!token) return;
  const seconds = numberIn(token, 'expirationSeconds');
  const lifetime = at.child('expirationSeconds');
  if (seconds < minTokenSeconds) errors.invalid(lifetime, seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > maxTokenSeconds) errors.invalid(lifetime, seconds, 'may not specify a duration larger than 2^32 seconds');
  const path = textIn(token, 'path');
  if (path === '') errors.required(volume.child('path'));
  else validateNonReservedPath(path, volume.child('path'), errors);
}
