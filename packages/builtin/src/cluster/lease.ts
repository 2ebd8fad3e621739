import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type FieldErrors, type JsonObject, type KubeObject, path, textIn } from '@tsukube/machinery';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';

const v1: ServedVersion = {
  group: 'coordination.k8s.io',
  version: 'v1',
  schema: schemaOf('coordination.v1.Lease'),
  columns: [
    nameColumn,
    column('Holder', { type: 'io.k8s.api.coordination.v1.LeaseSpec', field: 'holderIdentity' }, (object) =>
      textIn(specOf(object), 'holderIdentity'),
    ),
    ageColumn,
  ],
};

export const lease: Resource = {
  names: { plural: 'leases', singular: 'lease', kind: 'Lease', listKind: 'LeaseList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/leases',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) => dropGatedFields(specOf(object), {}),
    prepareForUpdate: (object, old) => dropGatedFields(specOf(object), specOf(old)),
    validateCreate: validate,
    validateUpdate: (object, _old, errors) => validate(object, errors),
  },
};

/** Feature gate CoordinatedLeaderElection is off: its fields are dropped unless the stored object has them. */
function dropGatedFields(spec: JsonObject, old: JsonObject): void {
  for (const field of ['strategy', 'preferredHolder'] as const) if (old[field] === undefined) delete spec[field];
}

function validate(object: KubeObject, errors: FieldErrors): void {
  const { leaseDurationSeconds, leaseTransitions, preferredHolder, strategy } = specOf(object);
  const at = path('spec');
  if (leaseDurationSeconds !== undefined && Number(leaseDurationSeconds) <= 0) {
    errors.invalid(at.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0');
  }
  if (leaseTransitions !== undefined && Number(leaseTransitions) < 0) {
    errors.invalid(at.child('leaseTransitions'), leaseTransitions, 'must be greater than or equal to 0');
  }
  if (preferredHolder && !strategy)
    errors.forbidden(at.child('preferredHolder'), 'may only be specified if `strategy` is defined');
}
