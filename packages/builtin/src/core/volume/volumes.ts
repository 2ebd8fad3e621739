import {
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  parseQuantity,
  textIn,
  zeroQuantity,
} from '@tsukube/machinery';
import { validateDNSLabel } from '../../common/field-validation.ts';
import { validatePullPolicy } from '../container/containers.ts';
import type { Volumes } from '../container/mounts.ts';
import { validateProjected } from './projected-volume.ts';
import { type SourceCheck, sourceChecks } from './volume-sources.ts';

/** How a volume of a pod differs from one of a template. */
export interface VolumeOwner {
  readonly isPod: boolean;
  /** Empty if it is not known. */
  readonly name: string;
}

/** Gives the volumes that are well-formed, which are those that containers may refer to. */
export function validateVolumes(spec: JsonObject, owner: VolumeOwner, at: FieldPath, errors: FieldErrors): Volumes {
  const known = new Map<string, JsonObject>();
  const volumes = objectsIn(spec, 'volumes');
  const made = new Set(volumes.flatMap(({ name, ephemeral }) => (ephemeral === undefined ? [] : [`${owner.name}-${name}`])));
  for (const [i, volume] of volumes.entries()) {
    const here = at.index(i);
    const name = textIn(volume, 'name');
    const before = errors.length;
    validateSource(volume, owner, here, errors);
    if (name === '') errors.required(here.child('name'));
    else validateDNSLabel(name, here.child('name'), errors);
    if (known.has(name)) errors.duplicate(here.child('name'), name);
    if (errors.length === before) known.set(name, volume);
    if (owner.name !== '') validateClaim(volume, made, here, errors);
  }
  return known;
}

/** A claim that is made for an ephemeral volume of this pod cannot be used as if it were another's. */
function validateClaim(volume: JsonObject, made: ReadonlySet<string>, at: FieldPath, errors: FieldErrors): void {
  const claim = textIn(objectIn(volume, 'persistentVolumeClaim'), 'claimName');
  if (claim === '' || !made.has(claim)) return;
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

/** Where Kubernetes writes the path of a source in a way of its own. */
const refusedAs: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };
const checkedAs: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

/** Exactly one source. */
function validateSource(volume: JsonObject, owner: VolumeOwner, at: FieldPath, errors: FieldErrors): void {
  const checks = owner.isPod ? podChecks : templateChecks;
  const [kind, ...others] = sourcesOf(volume, checks);
  if (kind === undefined) errors.required(at, 'must specify a volume type');
  else checks.get(kind)?.(volume[kind] as JsonObject, at.child(checkedAs[kind] ?? kind), errors);
  for (const other of others) errors.forbidden(at.child(refusedAs[other] ?? other), 'may not specify more than 1 volume type');
  validateNames(volume, owner, at.child('name'), errors);
}

/** In the order in which sources are checked. */
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

/** What is made for a volume has a name that is made of the volume's. */
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
