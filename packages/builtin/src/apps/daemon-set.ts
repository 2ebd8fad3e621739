import {
  ageColumn,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  deepEqual,
  ensureObject,
  type FieldErrors,
  type FieldPath,
  fillIn,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  mapIn,
  objectIn,
  path,
  validateImmutableField,
  validateLabelSelector,
} from '@tsukube/machinery';
import { validateNonNegative } from '../common/field-validation.ts';
import { sortedMap, specOf, statusOf } from '../common/objects.ts';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { formatLabels } from '../core/pod-spec/columns.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import { podTemplateWarnings } from '../core/pod-spec/warnings.ts';
import { containerColumns, numberColumn, parseInt64Annotation, selectorColumn, selectorIn, templateSpec } from './workload.ts';
import {
  internalStrategy,
  intOrPercentValue,
  isEmptySelector,
  validateAlwaysRestartingTemplate,
  validateCollisionCount,
  validateIntOrPercent,
  validateNotMoreThan100Percent,
  validateTemplateLabels,
} from './workload-validation.ts';

const specType = 'io.k8s.api.apps.v1.DaemonSetSpec';
const statusType = 'io.k8s.api.apps.v1.DaemonSetStatus';

const v1: ServedVersion = {
  group: 'apps',
  version: 'v1',
  schema: schemaOf('apps.v1.DaemonSet'),
  columns: [
    nameColumn,
    numberColumn('Desired', statusType, 'status', 'desiredNumberScheduled'),
    numberColumn('Current', statusType, 'status', 'currentNumberScheduled'),
    numberColumn('Ready', statusType, 'status', 'numberReady'),
    numberColumn('Up-to-date', statusType, 'status', 'updatedNumberScheduled'),
    numberColumn('Available', statusType, 'status', 'numberAvailable'),
    column('Node Selector', { type: 'io.k8s.api.core.v1.PodSpec', field: 'nodeSelector' }, (object) =>
      formatLabels(mapIn(templateSpec(object), 'nodeSelector')),
    ),
    ageColumn,
    ...containerColumns(templateSpec),
    selectorColumn(specType, (object) => objectIn(object, 'spec')),
  ],
};

export const daemonSet: Resource = {
  names: {
    plural: 'daemonsets',
    singular: 'daemonset',
    kind: 'DaemonSet',
    listKind: 'DaemonSetList',
    shortNames: ['ds'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/daemonsets',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateDaemonSetStatus, {
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
        updateTemplateGeneration(object, old);
      },
    }),
  },
  strategy: {
    generation: true,
    applyDefaults,
    prepareForCreate(object) {
      object.status = zeroValue('apps.v1.DaemonSetStatus');
      initTemplateGeneration(object);
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      updateTemplateGeneration(object, old);
    },
    validateCreate: validateDaemonSet,
    validateUpdate: validateDaemonSetUpdate,
    warnings(object, old) {
      if (old && !isTemplateChanged(object, old)) return [];
      return podTemplateWarnings(objectIn(objectIn(object, 'spec'), 'template'), path('spec', 'template'));
    },
  },
};

function applyDefaults(object: KubeObject): void {
  defaultTemplateGeneration(object);
  const spec = ensureObject(object, 'spec');
  spec.selector ??= null;
  defaultPodTemplate(ensureObject(spec, 'template'));
  const strategy = ensureObject(spec, 'updateStrategy');
  fillIn(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') ensureObject(strategy, 'rollingUpdate').maxUnavailable ??= 1;
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  if (rollingUpdate) defaultToZero(rollingUpdate);
  spec.revisionHistoryLimit ??= 10;
  object.status = { ...zeroValue('apps.v1.DaemonSetStatus'), ...objectIn(object, 'status') };
}

function defaultToZero(rollingUpdate: JsonObject): void {
  rollingUpdate.maxUnavailable ??= 0;
  rollingUpdate.maxSurge ??= 0;
}

/** Holds the template generation, which was a field before apps/v1 and is still maintained. */
const annotation = 'deprecated.daemonset.template.generation';

/** Without the annotation the generation is 0, and the client owns the annotation. Throws 400 if it is not a number. */
function defaultTemplateGeneration(object: KubeObject): void {
  if (generationOf(object) === undefined) setGeneration(object, 0n);
}

function initTemplateGeneration(object: KubeObject): void {
  const generation = generationOf(object) ?? 0n;
  setGeneration(object, generation < 1n ? 1n : generation);
}

/** Incremented when the template changes; values from clients are ignored. */
function updateTemplateGeneration(object: KubeObject, old: KubeObject): void {
  const before = generationOf(old) ?? 0n;
  setGeneration(object, isTemplateChanged(object, old) ? before + 1n : before);
}

function isTemplateChanged(object: KubeObject, old: KubeObject): boolean {
  return !deepEqual(templateOf(object), templateOf(old));
}

function templateOf(object: KubeObject): JsonValue {
  return objectIn(objectIn(object, 'spec'), 'template') ?? null;
}

function generationOf(object: KubeObject): bigint | undefined {
  const text = mapIn(object.metadata, 'annotations')[annotation];
  if (text === undefined) return undefined;
  return parseInt64Annotation(text, 'DaemonSet');
}

function setGeneration(object: KubeObject, generation: bigint): void {
  const metadata = object.metadata;
  const annotations = new Map<string, string>(Object.entries(mapIn(metadata, 'annotations')));
  annotations.set(annotation, String(generation));
  metadata.annotations = sortedMap(annotations);
}

const specPath = path('spec');
const statusPath = path('status');

function validateDaemonSet(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  const template = objectIn(spec, 'template') ?? {};
  const selector = objectIn(spec, 'selector');
  validateLabelSelector(selector, specPath.child('selector'), errors);
  const usable = selectorIn(spec);
  if (usable) validateTemplateLabels(template, usable, specPath.child('template'), errors);
  if (selector && isEmptySelector(selector))
    errors.invalid(specPath.child('selector'), selector, 'empty selector is invalid for daemonset');
  validateAlwaysRestartingTemplate(template, specPath.child('template'), 'DaemonSet', errors);
  validateNonNegative(spec, ['minReadySeconds'], specPath, errors);
  validateStrategy(objectIn(spec, 'updateStrategy') ?? {}, specPath.child('updateStrategy'), errors);
  validateNonNegative(spec, ['revisionHistoryLimit'], specPath, errors);
}

function validateDaemonSetUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const selector = objectIn(objectIn(object, 'spec'), 'selector');
  validateImmutableField(selector, objectIn(objectIn(old, 'spec'), 'selector'), specPath.child('selector'), errors);
  validateDaemonSet(object, errors);
}

function validateDaemonSetStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  const counts = [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ];
  validateNonNegative(status, counts, statusPath, errors);
  validateCollisionCount(status, old, statusPath, errors);
}

function validateStrategy(strategy: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  if (strategy.type === 'OnDelete') return;
  if (strategy.type !== 'RollingUpdate') {
    const shown = rollingUpdate
      ? { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
      : null;
    errors.notSupported(at, internalStrategy(strategy, shown), ['RollingUpdate', 'OnDelete']);
  } else if (!rollingUpdate) errors.required(at.child('rollingUpdate'));
  else validateRollingUpdate(rollingUpdate, at.child('rollingUpdate'), errors);
}

/** Exactly one of maxUnavailable and maxSurge must be non-zero. */
function validateRollingUpdate({ maxUnavailable, maxSurge }: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateIntOrPercent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateIntOrPercent(maxSurge, at.child('maxSurge'), errors);
  validateNotMoreThan100Percent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateNotMoreThan100Percent(maxSurge, at.child('maxSurge'), errors);
  const before = intOrPercentValue(maxUnavailable) !== 0;
  const after = intOrPercentValue(maxSurge) !== 0;
  if (before && after) errors.invalid(at.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero');
  if (!before && !after) errors.required(at.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0');
}
