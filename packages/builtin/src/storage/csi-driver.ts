import { ageColumn, type Column, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectsIn,
  path,
  textIn,
  textsIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { validateEnum } from '../common/field-validation.ts';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';

const type = 'io.k8s.api.storage.v1.CSIDriverSpec';
function flagColumn(name: string, field: string, initial: boolean): Column {
  return column(name, { type, field }, (object) => (specOf(object)[field] as boolean | undefined) ?? initial, {
    type: 'boolean',
  });
}

const columns: readonly Column[] = [
  nameColumn,
  flagColumn('AttachRequired', 'attachRequired', true),
  flagColumn('PodInfoOnMount', 'podInfoOnMount', false),
  flagColumn('StorageCapacity', 'storageCapacity', false),
  column('TokenRequests', { type, field: 'tokenRequests' }, (object) =>
    specOf(object).tokenRequests === undefined
      ? '<unset>'
      : objectsIn(specOf(object), 'tokenRequests')
          .map((request) => textIn(request, 'audience'))
          .join(','),
  ),
  flagColumn('RequiresRepublish', 'requiresRepublish', false),
  column(
    'Modes',
    { type, field: 'volumeLifecycleModes' },
    (object) => textsIn(specOf(object), 'volumeLifecycleModes').join(',') || '<none>',
  ),
  ageColumn,
];

const v1: ServedVersion = { group: 'storage.k8s.io', version: 'v1', schema: schemaOf('storage.v1.CSIDriver'), columns };

export const csiDriver: Resource = {
  names: { plural: 'csidrivers', singular: 'csidriver', kind: 'CSIDriver', listKind: 'CSIDriverList' },
  scope: 'Cluster',
  storagePrefix: '/registry/csidrivers',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    allowUnconditionalUpdate: false,
    applyDefaults: defaultDriver,
    prepareForCreate(object) {
      delete specOf(object).preventPodSchedulingIfMissing;
    },
    prepareForUpdate(object, old) {
      if (specOf(old).preventPodSchedulingIfMissing === undefined) delete specOf(object).preventPodSchedulingIfMissing;
      // Unset on create; the first update sets 1.
      if (!deepEqual(object.spec, old.spec)) object.metadata.generation = numberIn(old.metadata, 'generation') + 1;
    },
    validateCreate: (object, errors) => validateDriver(specOf(object), errors),
    validateUpdate(object, old, errors) {
      const [spec, oldSpec] = [specOf(object), specOf(old)];
      validateDriver(spec, errors);
      validateImmutableField(spec.attachRequired, oldSpec.attachRequired, path('spec', 'attachedRequired'), errors);
      validateImmutableField(
        spec.volumeLifecycleModes,
        oldSpec.volumeLifecycleModes,
        path('spec', 'volumeLifecycleModes'),
        errors,
      );
    },
    warnings(object, old) {
      const { tokenRequests, serviceAccountTokenInSecrets } = specOf(object);
      const asked = objectsIn(specOf(object), 'tokenRequests').length > 0 && serviceAccountTokenInSecrets === undefined;
      return asked && !(old && deepEqual(specOf(old).tokenRequests, tokenRequests)) ? [tokenWarning] : [];
    },
  },
};

const tokenWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

function defaultDriver(object: KubeObject): void {
  object.spec ??= {};
  const spec = specOf(object);
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (textsIn(spec, 'volumeLifecycleModes').length === 0) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];
const minUpdateSeconds = 10;

function validateDriver(spec: JsonObject, errors: FieldErrors): void {
  const at = path('spec');
  const policy = spec.fsGroupPolicy;
  validateEnum(policy, groupPolicies, at.child('fsGroupPolicy'), errors);
  validateTokenRequests(objectsIn(spec, 'tokenRequests'), at.child('tokenRequests'), errors);
  for (const mode of textsIn(spec, 'volumeLifecycleModes'))
    if (!lifecycleModes.includes(mode)) errors.notSupported(at.child('volumeLifecycleModes'), mode, lifecycleModes);
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && Number(period) < minUpdateSeconds)
    errors.invalid(at.child('nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds');
  const inSecrets = spec.serviceAccountTokenInSecrets;
  if (inSecrets !== undefined && objectsIn(spec, 'tokenRequests').length === 0)
    errors.invalid(
      at.child('serviceAccountTokenInSecrets'),
      inSecrets,
      'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    );
}

function validateTokenRequests(requests: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  const audiences = new Set<string>();
  for (const [i, request] of requests.entries()) {
    const audience = textIn(request, 'audience');
    const { expirationSeconds } = request;
    if (audiences.has(audience)) errors.duplicate(at.index(i).child('audience'), audience);
    else if (expirationSeconds !== undefined) {
      const here = at.index(i).child('expirationSeconds');
      if (Number(expirationSeconds) < 600)
        errors.invalid(here, expirationSeconds, 'may not specify a duration less than 10 minutes');
      if (Number(expirationSeconds) > 2 ** 32)
        errors.invalid(here, expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
    }
    audiences.add(audience);
  }
}
