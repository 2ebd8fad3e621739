import { ageColumn, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type JsonObject,
  mapIn,
  objectIn,
  path,
  validateAnnotations,
  validateImmutableField,
  validateLabels,
} from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { checkAdminAccess } from './claim-access.ts';
import { defaultDeviceClaim, validateDeviceClaim } from './device-claim.ts';

const v1: ServedVersion = {
  group: 'resource.k8s.io',
  version: 'v1',
  schema: schemaOf('resource.v1.ResourceClaimTemplate'),
  columns: [nameColumn, ageColumn],
};

export const resourceClaimTemplate: Resource = {
  compilesTexts: true,
  names: {
    plural: 'resourceclaimtemplates',
    singular: 'resourceclaimtemplate',
    kind: 'ResourceClaimTemplate',
    listKind: 'ResourceClaimTemplateList',
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/resourceclaimtemplates',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    applyDefaults: (object) => defaultDeviceClaim(objectIn(objectIn(object, 'spec'), 'spec')),
    authorizeWrite: checkAdminAccess('ResourceClaimTemplate', (object) => objectIn(objectIn(object, 'spec'), 'spec')),
    validateCreate: validate,
    validateUpdate: (object, old, errors) => validateImmutableField(object.spec, old.spec, path('spec'), errors),
  },
};

function validate(object: JsonObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec');
  const metadata = objectIn(spec, 'metadata');
  const at = path('spec', 'metadata');
  validateAnnotations(mapIn(metadata, 'annotations'), at.child('annotations'), errors);
  validateLabels(mapIn(metadata, 'labels'), at.child('labels'), errors);
  validateDeviceClaim(objectIn(spec, 'spec') ?? {}, path('spec', 'spec'), errors);
}
