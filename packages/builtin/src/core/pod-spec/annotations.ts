import { type FieldErrors, type FieldPath, type JsonObject, mapIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { validateDescendingPath } from '../../common/field-validation.ts';
import { containerFields } from './defaults.ts';

const mirror = 'kubernetes.io/config.mirror';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompOfContainer = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorOfContainer = 'container.apparmor.security.beta.kubernetes.io/';
const localhost = 'localhost/';

/** Validates the annotations that Kubernetes interprets. */
export function validatePodAnnotations(metadata: JsonObject, spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const annotations = mapIn(metadata, 'annotations');
  const keys = Object.keys(annotations);
  if (keys.length === 0) return;
  if (Object.hasOwn(annotations, mirror) && textIn(spec, 'nodeName') === '')
    errors.invalid(at.key(mirror), annotations[mirror], 'must set spec.nodeName if mirror pod annotation is set');
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isInt32(cost)) errors.invalid(at.key(deletionCost), cost, 'must be a 32bit integer');
  const containers = containerNames(spec, keys);
  for (const [key, value] of Object.entries(annotations)) {
    if (key === seccompOfPod || key.startsWith(seccompOfContainer)) validateSeccomp(value, at.child(key), errors);
    if (key.startsWith(appArmorOfContainer)) validateAppArmor(key, value, containers, at.key(key), errors);
  }
}

/** Canonical form only: no plus sign and no leading zeros. */
function isInt32(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function validateSeccomp(profile: string, at: FieldPath, errors: FieldErrors): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return;
  if (profile.startsWith(localhost)) validateDescendingPath(profile.slice(localhost.length), at, errors);
  else errors.invalid(at, profile, 'must be a valid seccomp profile');
}

/** Names of all containers; empty unless there is an AppArmor annotation to check. */
function containerNames(spec: JsonObject, keys: readonly string[]): ReadonlySet<string> {
  if (!keys.some((key) => key.startsWith(appArmorOfContainer))) return noNames;
  return new Set(containerFields.flatMap((field) => objectsIn(spec, field).map((container) => textIn(container, 'name'))));
}

const noNames: ReadonlySet<string> = new Set();

function validateAppArmor(
  key: string,
  profile: string,
  containers: ReadonlySet<string>,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const name = key.slice(appArmorOfContainer.length);
  if (!containers.has(name)) errors.invalid(at, name, 'container not found');
  const known = profile === '' || profile === 'runtime/default' || profile === 'unconfined' || profile.startsWith(localhost);
  if (!known) errors.invalid(at, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`);
}

/** Seccomp and AppArmor annotations must match the fields that replaced them. */
export function validateProfilesMatch(metadata: JsonObject, spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const annotations = mapIn(metadata, 'annotations');
  if (Object.keys(annotations).length === 0) return;
  const podContext = objectIn(spec, 'securityContext');
  const seccomp = objectIn(podContext, 'seccompProfile');
  compareProfile('seccomp', annotations[seccompOfPod], seccomp, at.child('securityContext', 'seccompProfile'), errors);
  for (const field of containerFields) {
    for (const [i, container] of objectsIn(spec, field).entries()) {
      const context = objectIn(container, 'securityContext');
      const here = at.child(field).index(i).child('securityContext');
      const name = textIn(container, 'name');
      const own = objectIn(context, 'seccompProfile');
      compareProfile('seccomp', annotations[seccompOfContainer + name], own, here.child('seccompProfile'), errors);
      const appArmor = objectIn(context, 'appArmorProfile') ?? objectIn(podContext, 'appArmorProfile');
      if (objectIn(spec, 'os')?.name !== 'windows')
        compareProfile('apparmor', annotations[appArmorOfContainer + name], appArmor, here.child('appArmorProfile'), errors);
    }
  }
}

function compareProfile(
  kind: string,
  annotation: string | undefined,
  profile: JsonObject | undefined,
  at: FieldPath,
  errors: FieldErrors,
): void {
  if (annotation === undefined || profile === undefined) return;
  const type = textIn(profile, 'type');
  const typeMatches =
    (type === 'Unconfined' && annotation === 'unconfined') ||
    (type === 'RuntimeDefault' &&
      (annotation === 'runtime/default' || (kind === 'seccomp' && annotation === 'docker/default'))) ||
    (type === 'Localhost' && annotation.startsWith(localhost));
  if (!typeMatches) errors.forbidden(at.child('type'), `${kind} type in annotation and field must match`);
  else if (type === 'Localhost' && annotation.slice(localhost.length) !== profile.localhostProfile)
    errors.forbidden(at.child('localhostProfile'), `${kind} profile in annotation and field must match`);
}
