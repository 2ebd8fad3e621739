import { ageColumn, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type FieldErrors, type JsonObject, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { isExtendedResource } from '../core/container/resource-requirements.ts';
import { maxConfigurations, validateDeviceConfiguration, validateSelectors } from './device-claim.ts';
import { validateList } from './validation.ts';

const v1: ServedVersion = {
  group: 'resource.k8s.io',
  version: 'v1',
  schema: schemaOf('resource.v1.DeviceClass'),
  columns: [nameColumn, ageColumn],
};

export const deviceClass: Resource = {
  compilesTexts: true,
  names: { plural: 'deviceclasses', singular: 'deviceclass', kind: 'DeviceClass', listKind: 'DeviceClassList' },
  scope: 'Cluster',
  storagePrefix: '/registry/deviceclasses',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    generation: true,
    validateCreate: validate,
    validateUpdate: (object, _old, errors) => validate(object, errors),
  },
};

function validate(object: JsonObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  const at = path('spec');
  validateSelectors(spec, at.child('selectors'), errors);
  validateList(objectsIn(spec, 'config'), maxConfigurations, at.child('config'), errors, validateDeviceConfiguration);
  const name = textIn(spec, 'extendedResourceName');
  if (spec.extendedResourceName !== undefined && !isExtendedResource(name))
    errors.invalid(at.child('extendedResourceName'), name, 'must be a valid extended resource name');
}
