import {
  deepEqual,
  type FieldErrors,
  fieldIsImmutable,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
  path,
} from '@tsukube/machinery';
import { isConditionTrue } from '../common/conditions.ts';
import { internalPodSpec } from '../common/internal-types.ts';
import { specOf } from '../common/objects.ts';
import { nameLabel, uidLabel } from './job-defaults.ts';
import { internalFailurePolicy, internalSuccessPolicy } from './job-policies.ts';
import { validateJob, validateWholeSpec } from './job-validation.ts';

const specPath = path('spec');

export function validateJobUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  const oldSpec = specOf(old);
  const oldLabels = mapIn(objectIn(objectIn(oldSpec, 'template'), 'metadata'), 'labels');
  const hadPrefix = Object.hasOwn(oldLabels, nameLabel) && Object.hasOwn(oldLabels, uidLabel);
  validateJob(object, errors, { withoutPrefix: !hadPrefix });
  // Kubernetes validates the spec twice and reports its errors twice.
  validateWholeSpec(spec, errors);
  validateCompletions(spec, oldSpec, errors);
  unchanged('selector', spec, oldSpec, errors);
  validateTemplateUpdate(object, old, errors);
  unchanged('completionMode', spec, oldSpec, errors);
  unchanged('podFailurePolicy', spec, oldSpec, errors, internalFailurePolicy(objectIn(spec, 'podFailurePolicy')));
  unchanged('backoffLimitPerIndex', spec, oldSpec, errors);
  unchanged('managedBy', spec, oldSpec, errors);
  unchanged('successPolicy', spec, oldSpec, errors, internalSuccessPolicy(objectIn(spec, 'successPolicy')));
}

function unchanged(field: string, spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors, shown = spec[field] ?? null): void {
  if (!deepEqual(spec[field] ?? null, oldSpec[field] ?? null)) errors.invalid(specPath.child(field), shown, fieldIsImmutable);
}

/** Elastic indexed jobs: completions may change together with parallelism. */
function validateCompletions(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  const { completions } = spec;
  if (spec.completionMode !== 'Indexed') unchanged('completions', spec, oldSpec, errors);
  else if (completions !== undefined && completions !== oldSpec.completions && completions !== spec.parallelism)
    errors.invalid(specPath.child('completions'), completions, 'can only be modified in tandem with spec.parallelism');
}

/** The template is immutable, except for scheduling directives and resources of a suspended job. */
function validateTemplateUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const template = templateOf(object);
  const oldTemplate = templateOf(old);
  if (!isIdle(old)) {
    if (!deepEqual(template, oldTemplate))
      errors.invalid(specPath.child('template'), internalTemplate(template), fieldIsImmutable);
    return;
  }
  const podSpec = specOf(template);
  const oldPodSpec = withSchedulingOf(podSpec, specOf(oldTemplate));
  if (!deepEqual(podSpec, withResourcesOf(podSpec, oldPodSpec)))
    errors.invalid(specPath.child('template.spec'), internalPodSpec(podSpec), fieldIsImmutable);
}

/** The internal type embeds ObjectMeta, which is encoded with JSON names. */
function internalTemplate(template: JsonObject): JsonObject {
  return { ...objectIn(template, 'metadata'), Spec: internalPodSpec(specOf(template)) };
}

function templateOf(object: KubeObject): JsonObject {
  return objectIn(objectIn(object, 'spec'), 'template') ?? {};
}

function isIdle(job: JsonObject): boolean {
  const status = objectIn(job, 'status');
  const held = status?.startTime === undefined || isConditionTrue(status, 'Suspended');
  return objectIn(job, 'spec')?.suspend === true && held && numberIn(status, 'active') === 0;
}

/** The old spec with the scheduling directives of the new one. */
function withSchedulingOf(podSpec: JsonObject, old: JsonObject): JsonObject {
  const merged: JsonObject = { ...old };
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates']) copyField(field, podSpec, merged);
  const affinity = objectIn(podSpec, 'affinity');
  const oldAffinity: JsonObject = { ...objectIn(old, 'affinity') };
  copyField('nodeAffinity', affinity ?? {}, oldAffinity);
  if (affinity || Object.keys(oldAffinity).length > 0) merged.affinity = oldAffinity;
  else delete merged.affinity;
  return merged;
}

function copyField(field: string, from: JsonObject, to: JsonObject): void {
  const value = from[field];
  if (value === undefined) delete to[field];
  else to[field] = value;
}

function withResourcesOf(podSpec: JsonObject, old: JsonObject): JsonObject {
  const merged: JsonObject = { ...old };
  for (const field of ['containers', 'initContainers']) {
    const containers = objectsIn(podSpec, field);
    const before = objectsIn(old, field);
    if (containers.length === 0 || containers.length !== before.length) continue;
    merged[field] = before.map((container, i) => {
      const same = container.name === containers[i]?.name;
      return same ? { ...container, resources: containers[i]?.resources ?? {} } : container;
    });
  }
  return merged;
}
