import { type FieldErrors, type FieldPath, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { hasBacksteps, validateDescendingPath } from '../../common/field-validation.ts';

/** The valid volumes of a pod by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const readOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

export function validateMounts(container: JsonObject, volumes: Volumes, at: FieldPath, errors: FieldErrors): void {
  const [deviceNames, devicePaths] = fieldsOf(container, 'volumeDevices', ['name', 'devicePath']);
  const paths = new Set<string>();
  const list = at.child('volumeMounts');
  for (const [i, mount] of objectsIn(container, 'volumeMounts').entries()) {
    const here = list.index(i);
    const [name, path] = [textIn(mount, 'name'), textIn(mount, 'mountPath')];
    if (name === '') errors.required(here.child('name'));
    if (!volumes.has(name)) errors.notFound(here.child('name'), name);
    if (path === '') errors.required(here.child('mountPath'));
    if (paths.has(path)) errors.invalid(here.child('mountPath'), path, 'must be unique');
    paths.add(path);
    if (deviceNames?.has(name)) errors.invalid(here.child('name'), name, 'must not already exist in volumeDevices');
    if (devicePaths?.has(path))
      errors.invalid(here.child('mountPath'), path, 'must not already exist as a path in volumeDevices');
    validateSubPath(mount, here, list, errors);
    validatePropagation(mount, container, list.child('mountPropagation'), errors);
    validateRecursiveReadOnly(mount, list.child('recursiveReadOnly'), errors);
  }
}

/** The values of each field over all entries of a list. */
function fieldsOf(container: JsonObject, list: string, fields: readonly string[]): readonly ReadonlySet<string>[] {
  return fields.map((field) => new Set(objectsIn(container, list).map((item) => textIn(item, field))));
}

/** Kubernetes reports the errors inside of a subPath at the list of mounts. */
function validateSubPath(mount: JsonObject, at: FieldPath, list: FieldPath, errors: FieldErrors): void {
  const [subPath, expression] = [textIn(mount, 'subPath'), textIn(mount, 'subPathExpr')];
  if (subPath !== '') validateDescendingPath(subPath, list.child('subPath'), errors);
  if (expression === '') return;
  if (subPath !== '') errors.invalid(at.child('subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive');
  validateDescendingPath(expression, list.child('subPathExpr'), errors);
}

function validatePropagation(mount: JsonObject, container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (mount.mountPropagation === undefined) return;
  const mode = textIn(mount, 'mountPropagation');
  if (!propagations.includes(mode)) errors.notSupported(at, mode, propagations);
  if (mode === 'Bidirectional' && objectIn(container, 'securityContext')?.privileged !== true)
    errors.forbidden(at, 'Bidirectional mount propagation is available only to privileged containers');
}

function validateRecursiveReadOnly(mount: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (mount.recursiveReadOnly === undefined) return;
  const mode = textIn(mount, 'recursiveReadOnly');
  if (!readOnlyModes.includes(mode)) {
    errors.notSupported(at, mode, readOnlyModes);
    return;
  }
  if (mode === 'Disabled') return;
  if (mount.readOnly !== true) errors.forbidden(at, 'may only be specified when readOnly is true');
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None')
    errors.forbidden(at, 'may only be specified when mountPropagation is None or not specified');
}

export function validateDevices(container: JsonObject, volumes: Volumes, at: FieldPath, errors: FieldErrors): void {
  const [mountNames, mountPaths] = fieldsOf(container, 'volumeMounts', ['name', 'mountPath']);
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, device] of objectsIn(container, 'volumeDevices').entries()) {
    const here = at.child('volumeDevices').index(i);
    const [name, path] = [textIn(device, 'name'), textIn(device, 'devicePath')];
    validateDeviceName(name, names, volumes, here.child('name'), errors);
    validateDevicePath(path, paths, here.child('devicePath'), errors);
    if (mountNames?.has(name)) errors.invalid(here.child('name'), name, 'must not already exist in volumeMounts');
    if (mountPaths?.has(path)) errors.invalid(here.child('devicePath'), path, 'must not already exist as a path in volumeMounts');
  }
}

function validateDeviceName(name: string, seen: Set<string>, volumes: Volumes, at: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(at);
  if (seen.has(name)) errors.invalid(at, name, 'must be unique');
  const volume = volumes.get(name);
  if (!volume) errors.notFound(at, name);
  else if (!volume.persistentVolumeClaim && !volume.ephemeral)
    errors.invalid(at, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
  if (name !== '') seen.add(name);
}

function validateDevicePath(path: string, seen: Set<string>, at: FieldPath, errors: FieldErrors): void {
  if (path === '') errors.required(at);
  if (seen.has(path)) errors.invalid(at, path, 'must be unique');
  if (hasBacksteps(path)) errors.invalid(at, path, "can not contain backsteps ('..')");
  else seen.add(path);
}
