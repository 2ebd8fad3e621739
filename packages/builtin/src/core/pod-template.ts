import { nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { ensureObject, type FieldErrors, type KubeObject, mapIn, objectIn, path } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { containerImages, containerNames, formatLabels } from './pod-spec/columns.ts';
import { defaultPodTemplate } from './pod-spec/defaults.ts';
import { validatePodTemplate } from './pod-spec/validation.ts';
import { podTemplateWarnings } from './pod-spec/warnings.ts';

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.PodTemplate'),
  columns: [
    nameColumn,
    {
      name: 'Containers',
      type: 'string',
      description: 'Names of each container in the template.',
      value: (object) => containerNames(objectIn(objectIn(object, 'template'), 'spec')),
    },
    {
      name: 'Images',
      type: 'string',
      description: 'Images referenced by each container in the template.',
      value: (object) => containerImages(objectIn(objectIn(object, 'template'), 'spec')),
    },
    {
      name: 'Pod Labels',
      type: 'string',
      description: 'The labels for the pod template.',
      value: (object) => formatLabels(mapIn(objectIn(objectIn(object, 'template'), 'metadata'), 'labels')),
    },
  ],
};

const at = path('template');

export const podTemplate: Resource = {
  names: { plural: 'podtemplates', singular: 'podtemplate', kind: 'PodTemplate', listKind: 'PodTemplateList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/podtemplates',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    generation: true,
    returnDeletedObject: true,
    applyDefaults(object) {
      object.template ??= {};
      defaultPodTemplate(ensureObject(object, 'template'));
    },
    validateCreate: validate,
    validateUpdate: (object, _old, errors) => validate(object, errors),
    warnings: (object) => podTemplateWarnings(objectIn(object, 'template'), at),
  },
};

function validate(object: KubeObject, errors: FieldErrors): void {
  validatePodTemplate(objectIn(object, 'template') ?? {}, at, errors);
}
