import { ageColumn, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { objectIn, objectsIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { statusAlone, statusSubresource } from '../common/status-subresource.ts';
import { admissionGroup, commonStrategy } from './group.ts';
import { defaultMatchResources } from './match-resources.ts';
import { paramKindColumn } from './param-columns.ts';
import { validateValidatingPolicy, validateValidatingPolicyStatus } from './validating-policy-validation.ts';

const v1: ServedVersion = {
  group: admissionGroup,
  version: 'v1',
  schema: schemaOf('admissionregistration.v1.ValidatingAdmissionPolicy'),
  columns: [
    nameColumn,
    {
      name: 'Validations',
      type: 'integer',
      description: 'Validations indicates the number of validation rules defined in this configuration',
      value: (object) => objectsIn(objectIn(object, 'spec'), 'validations').length,
    },
    paramKindColumn,
    ageColumn,
  ],
};

export const validatingAdmissionPolicy: Resource = {
  compilesTexts: true,
  names: {
    plural: 'validatingadmissionpolicies',
    singular: 'validatingadmissionpolicy',
    kind: 'ValidatingAdmissionPolicy',
    listKind: 'ValidatingAdmissionPolicyList',
    categories: ['api-extensions'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/validatingadmissionpolicies',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource((object, _old, errors) => validateValidatingPolicyStatus(object, errors), {
      generation: false,
      ...statusAlone,
    }),
  },
  strategy: {
    ...commonStrategy,
    applyDefaults(object) {
      const spec = objectIn(object, 'spec');
      if (spec) spec.failurePolicy ??= 'Fail';
      defaultMatchResources(objectIn(spec, 'matchConstraints'));
    },
    prepareForCreate(object) {
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateValidatingPolicy(object, undefined, errors),
    validateUpdate: validateValidatingPolicy,
  },
};
