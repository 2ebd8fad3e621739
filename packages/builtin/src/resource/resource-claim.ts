import {
  type Authorizer,
  ageColumn,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { type JsonObject, metadataOf, objectIn, objectsIn, path, validateImmutableField } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { statusOnly } from '../common/status-only.ts';
import { checkAdminAccess, checkClaimStatus } from './claim-access.ts';
import { defaultDeviceClaim, validateDeviceClaim } from './device-claim.ts';
import { dropDeallocatedDevices, validateResourceClaimStatus } from './resource-claim-status.ts';

const v1: ServedVersion = {
  group: 'resource.k8s.io',
  version: 'v1',
  schema: schemaOf('resource.v1.ResourceClaim'),
  columns: [
    nameColumn,
    {
      name: 'State',
      type: 'string',
      description: 'A summary of the current state (allocated, pending, reserved, etc.).',
      value: shownState,
    },
    ageColumn,
  ],
};

const claims: Resource = {
  compilesTexts: true,
  names: { plural: 'resourceclaims', singular: 'resourceclaim', kind: 'ResourceClaim', listKind: 'ResourceClaimList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/resourceclaims',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    applyDefaults: (object) => defaultDeviceClaim(objectIn(object, 'spec')),
    authorizeWrite: checkAdminAccess('ResourceClaim', (object) => objectIn(object, 'spec')),
    prepareForCreate(object) {
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateDeviceClaim(objectIn(object, 'spec') ?? {}, path('spec'), errors),
    validateUpdate: (object, old, errors) => validateImmutableField(object.spec, old.spec, path('spec'), errors),
  },
};

export function resourceClaim(authorizer: Authorizer): Resource {
  const status = statusSubresource(validateResourceClaimStatus, {
    ...statusOnly,
    authorizeWrite: checkClaimStatus(authorizer),
    prepareForUpdate(object, old) {
      statusOnly.prepareForUpdate(object, old);
      dropDeallocatedDevices(object, old);
    },
  });
  return { ...claims, subresources: { status } };
}

function shownState(object: JsonObject): string {
  const status = objectIn(object, 'status');
  const states = metadataOf(object).deletionTimestamp ? ['deleted'] : [];
  if (objectIn(status, 'allocation'))
    states.push('allocated', ...(objectsIn(status, 'reservedFor').length > 0 ? ['reserved'] : []));
  else if (states.length === 0) states.push('pending');
  return states.join(',');
}
