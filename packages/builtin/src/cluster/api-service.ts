import { builtinTypes } from '@tsukube/api';
import {
  ageColumn,
  defaultWebhookService,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  type FieldErrors,
  formatTime,
  goQuote,
  isDNS1035Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  type JsonObject,
  metadataOf,
  nameIsPathSegment,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { statusOnly } from '../common/status-only.ts';

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
    status: statusSubresource((object, _old, errors) => validateApiServiceStatus(object, errors), statusOnly),
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

/** The condition of APIServices without a Service. */
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

const specPath = path('spec');
const statuses = ['True', 'False', 'Unknown'];

export function validateApiService(object: JsonObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  validateName(textIn(metadataOf(object), 'name'), spec, errors);
  validateGroupVersion(textIn(spec, 'group'), textIn(spec, 'version'), errors);
  validatePriority(spec, 'groupPriorityMinimum', 20_000, errors);
  validatePriority(spec, 'versionPriority', 1000, errors);
  const service = objectIn(spec, 'service');
  if (service) validateRemote(spec, service, errors);
  else validateLocal(spec, errors);
}

/** The name has to be VERSION.GROUP. */
function validateName(name: string, spec: JsonObject, errors: FieldErrors): void {
  const expected = `${textIn(spec, 'version')}.${textIn(spec, 'group')}`;
  if (name === '' || name === expected || isValidPathSegmentName(name).length > 0) return;
  errors.invalid(path('metadata', 'name'), name, `must be \`spec.version+"."+spec.group\`: ${goQuote(expected)}`);
}

function validateGroupVersion(group: string, version: string, errors: FieldErrors): void {
  if (group === '' && version !== 'v1')
    errors.required(specPath.child('group'), 'only v1 may have an empty group and it better be legacy kube');
  if (group !== '') for (const problem of isDNS1123Subdomain(group)) errors.invalid(specPath.child('group'), group, problem);
  for (const problem of isDNS1035Label(version)) errors.invalid(specPath.child('version'), version, problem);
}

function validatePriority(spec: JsonObject, field: string, most: number, errors: FieldErrors): void {
  const priority = numberIn(spec, field);
  if (priority <= 0 || priority > most) errors.invalid(specPath.child(field), priority, `must be positive and less than ${most}`);
}

function validateLocal(spec: JsonObject, errors: FieldErrors): void {
  const bundle = Buffer.from(textIn(spec, 'caBundle'), 'base64').length;
  if (bundle > 0) errors.invalid(specPath.child('caBundle'), `${bundle} bytes`, 'local APIServices may not have a caBundle');
  if (spec.insecureSkipTLSVerify === true)
    errors.invalid(specPath.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify');
}

function validateRemote(spec: JsonObject, service: JsonObject, errors: FieldErrors): void {
  const at = specPath.child('service');
  for (const field of ['namespace', 'name']) if (textIn(service, field) === '') errors.required(at.child(field));
  const port = numberIn(service, 'port');
  if (port < 1 || port > 65535)
    errors.invalid(at.child('port'), port, 'port is not valid: must be between 1 and 65535, inclusive');
  if (spec.insecureSkipTLSVerify === true && textIn(spec, 'caBundle') !== '')
    errors.invalid(specPath.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present');
}

export function validateApiServiceStatus(object: JsonObject, errors: FieldErrors): void {
  for (const [i, condition] of objectsIn(objectIn(object, 'status'), 'conditions').entries()) {
    const status = textIn(condition, 'status');
    if (!statuses.includes(status)) errors.notSupported(path('status', 'conditions').index(i).child('status'), status, statuses);
  }
}

export const apiRegistrationResources: readonly Resource[] = [apiService];
