import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  isDNS1123Label,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { requireNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { scaleOfKind } from '../common/scale.ts';
import { schemaOf } from '../common/schema.ts';
import { containerImages, containerNames, formatLabels } from './pod-spec/columns.ts';
import { defaultPodTemplate } from './pod-spec/defaults.ts';
import { validatePodTemplate } from './pod-spec/validation.ts';
import { podTemplateWarnings } from './pod-spec/warnings.ts';

const specType = 'io.k8s.api.core.v1.ReplicationControllerSpec';
const statusType = 'io.k8s.api.core.v1.ReplicationControllerStatus';
const specPath = path('spec');

function podSpecOf(object: KubeObject): JsonObject | undefined {
  return objectIn(objectIn(specOf(object), 'template'), 'spec');
}

const count = { type: 'integer' } as const;
const wide = { priority: 1 };

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.ReplicationController'),
  columns: [
    nameColumn,
    column('Desired', { type: specType, field: 'replicas' }, (object) => numberIn(specOf(object), 'replicas'), count),
    column('Current', { type: statusType, field: 'replicas' }, (object) => numberIn(statusOf(object), 'replicas'), count),
    column('Ready', { type: statusType, field: 'readyReplicas' }, (object) => numberIn(statusOf(object), 'readyReplicas'), count),
    ageColumn,
    {
      name: 'Containers',
      type: 'string',
      description: 'Names of each container in the template.',
      ...wide,
      value: (object) => containerNames(podSpecOf(object)),
    },
    {
      name: 'Images',
      type: 'string',
      description: 'Images referenced by each container in the template.',
      ...wide,
      value: (object) => containerImages(podSpecOf(object)),
    },
    column('Selector', { type: specType, field: 'selector' }, (object) => formatLabels(mapIn(specOf(object), 'selector')), wide),
  ],
  selectableFields: { 'status.replicas': (object) => String(numberIn(statusOf(object), 'replicas')) },
};

const { get, update, patch } = storedVerbs;

export const replicationController: Resource = {
  names: {
    plural: 'replicationcontrollers',
    singular: 'replicationcontroller',
    kind: 'ReplicationController',
    listKind: 'ReplicationControllerList',
    shortNames: ['rc'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/controllers',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: {
      verbs: { get, update, patch },
      strategy: {
        generation: false,
        prepareForUpdate(object, old) {
          object.spec = specOf(old);
        },
        validateUpdate: (object, _old, errors) => validateStatus(statusOf(object), errors),
        warnings: undefined,
      },
    },
    scale: scaleOfKind({
      replicas: (object) => numberIn(specOf(object), 'replicas'),
      withReplicas: (object, replicas) => ({ ...object, spec: { ...specOf(object), replicas } }),
      currentReplicas: (object) => numberIn(statusOf(object), 'replicas'),
      selector: (object) => selectorText(mapIn(specOf(object), 'selector')),
    }),
  },
  strategy: {
    generation: true,
    defaultPropagation: () => 'orphan',
    applyDefaults,
    prepareForCreate(object) {
      object.status = { replicas: 0 };
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? { replicas: 0 };
    },
    validateCreate: validate,
    validateUpdate: (object, _old, errors) => validate(object, errors),
    warnings,
  },
};

function selectorText(selector: Readonly<Record<string, string>>): string {
  return Object.keys(selector).length === 0 ? '' : formatLabels(selector);
}

/** Labels and selector default to the labels of the pod template. */
function applyDefaults(object: KubeObject): void {
  object.spec ??= {};
  const spec = specOf(object);
  const metadata = object.metadata;
  spec.replicas ??= 1;
  const template = objectIn(spec, 'template');
  if (template) defaultPodTemplate(template);
  const labels = mapIn(objectIn(template, 'metadata'), 'labels');
  if (Object.keys(labels).length > 0) {
    if (Object.keys(mapIn(spec, 'selector')).length === 0) spec.selector = { ...labels };
    if (Object.keys(mapIn(metadata, 'labels')).length === 0) metadata.labels = { ...labels };
  }
  object.status ??= {};
  statusOf(object).replicas ??= 0;
}

function validate(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  requireNonNegative(spec, 'minReadySeconds', specPath, errors);
  const selector = mapIn(spec, 'selector');
  if (Object.keys(selector).length === 0) errors.required(specPath.child('selector'));
  requireNonNegative(spec, 'replicas', specPath, errors);
  const template = objectIn(spec, 'template');
  if (template) validateTemplate(template, selector, errors);
  else errors.required(specPath.child('template'));
}

function validateTemplate(template: JsonObject, selector: Readonly<Record<string, string>>, errors: FieldErrors): void {
  const at = specPath.child('template');
  const labels = mapIn(objectIn(template, 'metadata'), 'labels');
  if (!Object.keys(selector).every((key) => labels[key] === selector[key]))
    errors.invalid(
      at.child('metadata', 'labels'),
      objectIn(objectIn(template, 'metadata'), 'labels'),
      '`selector` does not match template `labels`',
    );
  validatePodTemplate(template, at, errors);
  const podSpec = objectIn(template, 'spec');
  const restartPolicy = textIn(podSpec, 'restartPolicy');
  if (restartPolicy !== 'Always') errors.notSupported(at.child('spec', 'restartPolicy'), restartPolicy, ['Always']);
  if (podSpec?.activeDeadlineSeconds !== undefined)
    errors.forbidden(
      at.child('spec', 'activeDeadlineSeconds'),
      'activeDeadlineSeconds in ReplicationController is not Supported',
    );
}

function validateStatus(status: JsonObject, errors: FieldErrors): void {
  const at = path('status');
  const counts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];
  for (const field of ['replicas', ...counts, 'observedGeneration']) requireNonNegative(status, field, at, errors);
  for (const field of counts)
    if (numberIn(status, field) > numberIn(status, 'replicas'))
      errors.invalid(at.child(field), numberIn(status, field), 'cannot be greater than status.replicas');
  if (numberIn(status, 'availableReplicas') > numberIn(status, 'readyReplicas'))
    errors.invalid(at.child('availableReplicas'), numberIn(status, 'availableReplicas'), 'cannot be greater than readyReplicas');
}

function warnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const metadata = object.metadata;
  if (old && old.metadata.generation === metadata.generation) return [];
  const ofTemplate = podTemplateWarnings(objectIn(specOf(object), 'template'), specPath.child('template'));
  const problems = old ? [] : isDNS1123Label(textIn(metadata, 'name'));
  if (problems.length === 0) return ofTemplate;
  const hint =
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`${hint}: [${problems.join(' ')}]`, ...ofTemplate];
}
