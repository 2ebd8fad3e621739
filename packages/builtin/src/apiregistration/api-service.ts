import { builtinTypes } from '@tsukube/api';
import { ageColumn, defaultWebhookService, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { formatTime, type JsonObject, nameIsPathSegment, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { statusAlone, statusSubresource } from '../common/status-subresource.ts';
import { validateApiService, validateApiServiceStatus } from './api-service-validation.ts';

const type = 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService';

const v1: ServedVersion = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  schema: { catalogue: builtinTypes, type, listType: `${type}List` },
  columns: [
    nameColumn,
    {
      name: 'Service',
      type: 'string',
      description: 'The reference to the service that hosts this API endpoint.',
      value(object) {
        const service = serviceOf(object);
        return service ? `${textIn(service, 'namespace')}/${textIn(service, 'name')}` : 'Local';
      },
    },
    { name: 'Available', type: 'string', description: 'Whether this service is available.', value: shownAvailability },
    ageColumn,
  ],
};

export const apiService: Resource = {
  names: {
    plural: 'apiservices',
    singular: 'apiservice',
    kind: 'APIService',
    listKind: 'APIServiceList',
    categories: ['api-extensions'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/apiregistration.k8s.io/apiservices',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource((object, _old, errors) => validateApiServiceStatus(object, errors), statusAlone),
  },
  strategy: {
    allowUnconditionalUpdate: false,
    validateName: nameIsPathSegment,
    applyDefaults: (object) => defaultWebhookService(objectIn(object, 'spec')),
    prepareForCreate(object) {
      object.status = serviceOf(object) ? {} : { conditions: [locallyAvailable(Date.now())] };
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: validateApiService,
    validateUpdate: (object, _old, errors) => validateApiService(object, errors),
  },
};

function serviceOf(object: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(object, 'spec'), 'service');
}

/** What this server serves itself is there as long as it is. */
function locallyAvailable(now: number): JsonObject {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(now),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function shownAvailability(object: JsonObject): string {
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  const available = conditions.find((condition) => condition.type === 'Available');
  if (!available) return 'Unknown';
  const [status, reason] = [textIn(available, 'status'), textIn(available, 'reason')];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}
