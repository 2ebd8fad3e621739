import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  isObject,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectsIn,
  parseApiVersion,
  path,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { notNegative } from '../common/field-validation.ts';
import { schemaOf } from '../common/schema.ts';

const type = 'io.k8s.api.apps.v1.ControllerRevision';

const v1: ServedVersion = {
  group: 'apps',
  version: 'v1',
  schema: schemaOf('apps.v1.ControllerRevision'),
  columns: [
    nameColumn,
    { name: 'Controller', type: 'string', description: 'Controller of the object', value: controllerCell },
    column('Revision', { type, field: 'revision' }, (object) => numberIn(object, 'revision')),
    ageColumn,
  ],
};

export const controllerRevision: Resource = {
  names: {
    plural: 'controllerrevisions',
    singular: 'controllerrevision',
    kind: 'ControllerRevision',
    listKind: 'ControllerRevisionList',
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/controllerrevisions',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    applyDefaults(object) {
      object.revision ??= 0;
    },
    validateCreate(object, errors) {
      validateRevision(object, errors);
      const { data } = object;
      if (data === undefined || data === null) errors.required(path('data'), 'data is mandatory');
      else if (!isObject(data)) errors.required(path('data'), 'data must be a valid JSON object');
    },
    validateUpdate(object, old, errors) {
      validateRevision(object, errors);
      validateImmutableField(object.data, old.data, path('data'), errors);
    },
  },
};

function validateRevision({ revision }: JsonObject, errors: FieldErrors): void {
  if (Number(revision) < 0) errors.invalid(path('revision'), revision as number | bigint, notNegative);
}

/** The controller as `daemonset.apps/name`. */
function controllerCell(object: KubeObject): string {
  const owner = objectsIn(object.metadata, 'ownerReferences').find(({ controller }) => controller === true);
  if (!owner) return '<none>';
  const group = parseApiVersion(textIn(owner, 'apiVersion'))?.group;
  return `${textIn(owner, 'kind').toLowerCase()}${group ? `.${group}` : ''}/${textIn(owner, 'name')}`;
}
