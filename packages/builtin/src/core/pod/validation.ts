import {
  canonicalJson,
  deepEqual,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  mapIn,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { inclusiveRange } from '../../common/field-validation.ts';
import { internalForm, podSpecDiff } from '../../common/internal-types.ts';
import { specOf } from '../../common/objects.ts';
import { validateImageWhitespace } from '../container/containers.ts';
import { validatePodAnnotations, validateProfilesMatch } from '../pod-spec/annotations.ts';
import { validateTolerations } from '../pod-spec/scheduling.ts';
import { validatePodSpec } from '../pod-spec/validation.ts';

const specPath = path('spec');

export function validatePodCreate(pod: KubeObject, errors: FieldErrors): void {
  const spec = specOf(pod);
  validatePod(pod, errors);
  if (objectsIn(spec, 'ephemeralContainers').length > 0)
    errors.forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create');
  if (textIn(spec, 'nodeName') !== '' && objectsIn(spec, 'schedulingGates').length > 0)
    errors.forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared');
  validateProfilesMatch(pod.metadata, spec, specPath, errors);
}

/** Validation shared by create and all updates. */
export function validatePod(pod: KubeObject, errors: FieldErrors): void {
  const spec = specOf(pod);
  const metadata = pod.metadata;
  validatePodAnnotations(metadata, spec, path('metadata', 'annotations'), errors);
  validatePodSpec(spec, specPath, errors, metadata);
  if (textIn(spec, 'serviceAccountName') === '') forbidServiceAccountTokens(spec, errors);
  for (const field of ['containers', 'initContainers'])
    for (const [i, container] of objectsIn(spec, field).entries())
      validateImageWhitespace(container, specPath.child(field).index(i), errors);
}

function forbidServiceAccountTokens(spec: JsonObject, errors: FieldErrors): void {
  for (const [i, volume] of objectsIn(spec, 'volumes').entries()) {
    for (const [j, source] of objectsIn(objectIn(volume, 'projected'), 'sources').entries()) {
      if (!source.serviceAccountToken) continue;
      const at = specPath.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken');
      errors.forbidden(at, 'must not be specified when serviceAccountName is not set');
    }
  }
}

const mutableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** Rejects changes of the spec outside of the few mutable fields. */
export function validatePodUpdate(pod: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const spec = specOf(pod);
  const oldSpec = specOf(old);
  validatePod(pod, errors);
  validateAnnotationUpdate(pod, old, errors);
  for (const field of ['containers', 'initContainers']) {
    if (!validateSameContainers(spec, oldSpec, field, errors)) return;
  }
  if (!validateDeadline(spec, oldSpec, specPath.child('activeDeadlineSeconds'), errors)) return;
  validateTolerationUpdate(spec, oldSpec, specPath.child('tolerations'), errors);
  validateGateUpdate(spec, oldSpec, specPath.child('schedulingGates'), errors);
  if (deepEqual(spec, oldSpec)) return;
  const rest = withoutAllowedChanges(spec, oldSpec);
  if (objectsIn(oldSpec, 'schedulingGates').length > 0) resetGatedChanges(rest, oldSpec, specPath, errors);
  if (!deepEqual(rest, oldSpec)) {
    const message = `pod updates may not change fields other than ${mutableFields.join(',')}\n${podSpecDiff(oldSpec, rest)}`;
    errors.forbidden(specPath, message);
  }
}

const mirror = 'kubernetes.io/config.mirror';
const appArmor = 'container.apparmor.security.beta.kubernetes.io/';

export function validateAnnotationUpdate(pod: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const now = mapIn(pod.metadata, 'annotations');
  const before = mapIn(old.metadata, 'annotations');
  for (const [verb, keys] of [
    ['remove or update', Object.keys(before).filter((key) => now[key] !== before[key])],
    ['add', Object.keys(now).filter((key) => !Object.hasOwn(before, key))],
  ] as const) {
    for (const key of keys) {
      const at = path('metadata', 'annotations').key(key);
      if (key.startsWith(appArmor)) errors.forbidden(at, `may not ${verb} AppArmor annotations`);
      if (key === mirror) errors.forbidden(at, `may not ${verb} mirror pod annotation`);
    }
  }
  validatePodAnnotations(pod.metadata, specOf(pod), path('metadata', 'annotations'), errors);
}

/** Returns false if validation cannot continue. */
function validateSameContainers(spec: JsonObject, oldSpec: JsonObject, field: string, errors: FieldErrors): boolean {
  const containers = objectsIn(spec, field);
  const at = specPath.child(field);
  if (containers.length !== objectsIn(oldSpec, field).length) {
    errors.forbidden(at, 'pod updates may not add or remove containers');
    return false;
  }
  for (const [i, container] of containers.entries()) {
    if (textIn(container, 'image') === '') errors.required(at.index(i).child('image'));
    validateImageWhitespace(container, at.index(i), errors);
  }
  return true;
}

const maxDeadline = 2 ** 31 - 1;

/** activeDeadlineSeconds may be set and shortened. Returns false if validation cannot continue. */
function validateDeadline(spec: JsonObject, oldSpec: JsonObject, at: FieldPath, errors: FieldErrors): boolean {
  const [now, before] = [spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds];
  if (now === undefined) {
    if (before !== undefined) errors.invalid(at, null, 'must not update from a positive integer to nil value');
    return true;
  }
  if (Number(now) < 0 || Number(now) > maxDeadline) errors.invalid(at, now, inclusiveRange(0, maxDeadline));
  else if (before !== undefined && Number(before) < Number(now))
    errors.invalid(at, now, 'must be less than or equal to previous value');
  else return true;
  return false;
}

function validateTolerationUpdate(spec: JsonObject, oldSpec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const tolerations = objectsIn(spec, 'tolerations');
  const given = new Set(tolerations.map(tolerationKey));
  const kept = objectsIn(oldSpec, 'tolerations').every((old) => given.has(tolerationKey(old)));
  if (kept) validateTolerations(tolerations, at, errors);
  else errors.forbidden(at, 'existing toleration can not be modified except its tolerationSeconds');
}

function tolerationKey({ tolerationSeconds: _, ...rest }: JsonObject): string {
  return canonicalJson(rest);
}

function validateGateUpdate(spec: JsonObject, oldSpec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const before = new Set(objectsIn(oldSpec, 'schedulingGates').map((gate) => textIn(gate, 'name')));
  for (const [i, gate] of objectsIn(spec, 'schedulingGates').entries()) {
    const name = textIn(gate, 'name');
    if (before.has(name)) continue;
    errors.forbidden(at.index(i).child('name'), `only deletion is allowed, but found new scheduling gate '${name}'`);
  }
}

/** The new spec with mutable fields reset to their old values. */
function withoutAllowedChanges(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const rest: JsonObject = { ...spec };
  for (const field of ['containers', 'initContainers']) {
    if (rest[field] === undefined) continue;
    const old = objectsIn(oldSpec, field);
    rest[field] = objectsIn(spec, field).map((container, i) => ({ ...container, image: textIn(old[i], 'image') }));
  }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) restore(rest, oldSpec[field], field);
  if (Number(oldSpec.terminationGracePeriodSeconds) < 0 && rest.terminationGracePeriodSeconds === 1)
    restore(rest, oldSpec.terminationGracePeriodSeconds, 'terminationGracePeriodSeconds');
  return rest;
}

function restore(spec: JsonObject, value: JsonValue | undefined, field: string): void {
  if (value === undefined) delete spec[field];
  else spec[field] = value;
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** While a pod has scheduling gates, its node selector and affinity may be narrowed. Resets allowed changes in `spec`. */
function resetGatedChanges(spec: JsonObject, oldSpec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (!deepEqual(spec.nodeSelector, oldSpec.nodeSelector)) {
    validateOnlyAdded(mapIn(spec, 'nodeSelector'), mapIn(oldSpec, 'nodeSelector'), at.child('nodeSelector'), errors);
    if (oldSpec.nodeSelector === undefined) delete spec.nodeSelector;
    else spec.nodeSelector = oldSpec.nodeSelector;
  }
  const affinity = objectIn(spec, 'affinity');
  const oldAffinity = objectIn(oldSpec, 'affinity');
  const oldNodes = objectIn(oldAffinity, 'nodeAffinity');
  const nodes = objectIn(affinity, 'nodeAffinity');
  if (deepEqual(nodes, oldNodes)) return;
  validateAffinityMutation(nodes, oldNodes, at.child('affinity', 'nodeAffinity', required, 'nodeSelectorTerms'), errors);
  const { nodeAffinity: _, ...others } = affinity ?? {};
  if (oldNodes) spec.affinity = { nodeAffinity: oldNodes, ...others };
  else if (!oldAffinity && Object.keys(others).length === 0) delete spec.affinity;
  else spec.affinity = others;
}

function validateOnlyAdded(
  selector: Readonly<Record<string, string>>,
  old: Readonly<Record<string, string>>,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const kept = Object.keys(old).every((key) => selector[key] === old[key]);
  if (!kept) errors.invalid(at, { ...selector }, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)');
}

function validateAffinityMutation(
  nodes: JsonObject | undefined,
  old: JsonObject | undefined,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const oldTerms = objectsIn(objectIn(old, required), 'nodeSelectorTerms');
  const terms = objectsIn(objectIn(nodes, required), 'nodeSelectorTerms');
  if (oldTerms.length === 0) return;
  if (oldTerms.length !== terms.length) {
    errors.invalid(at, terms.map(shown), 'no additions/deletions to non-empty NodeSelectorTerms list are allowed');
    return;
  }
  for (const [i, term] of terms.entries())
    if (!hasOnlyAdditions(term, oldTerms[i] ?? {}))
      errors.invalid(at.index(i), shown(term), 'only additions are allowed (no mutations or deletions)');
}

function shown(term: JsonObject): JsonObject {
  return internalForm(term, 'NodeSelectorTerm');
}

function hasOnlyAdditions(term: JsonObject, old: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  // An empty term matches no node: an addition would make it match some.
  if (lists.every((list) => objectsIn(old, list).length === 0)) return lists.every((list) => objectsIn(term, list).length === 0);
  return lists.every((list) => {
    const before = objectsIn(old, list);
    return deepEqual([...objectsIn(term, list).slice(0, before.length)], [...before]);
  });
}
