import {
  byName,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  mapIn,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { report } from '../../common/field-validation.ts';

const at = path('status');
const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const healths = ['Healthy', 'Unhealthy', 'Unknown'];
const maxMessage = 1024;
const maxId = 2 ** 31 - 1;

/** Drops fields of disabled feature gates: ImageVolumeWithDigest and DRANodeAllocatableResources. */
export function dropGatedStatus(status: JsonObject): void {
  delete status.nodeAllocatableResourceClaimStatuses;
  for (const list of statusLists)
    for (const container of objectsIn(status, list))
      for (const mount of objectsIn(container, 'volumeMounts')) delete mount.volumeStatus;
}

/** Validates status.resourceClaimStatuses. */
export function validateClaimStatuses(status: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const claims = new Set(objectsIn(spec, 'resourceClaims').map((claim) => textIn(claim, 'name')));
  const seen = new Set<string>();
  for (const [i, claim] of objectsIn(status, 'resourceClaimStatuses').entries()) {
    const itemAt = at.child('resourceClaimStatuses').index(i);
    const name = textIn(claim, 'name');
    if (!claims.has(name)) errors.invalid(itemAt.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`');
    if (seen.has(name)) errors.duplicate(itemAt.child('name'), name);
    seen.add(name);
    const claimName = claim.resourceClaimName;
    if (typeof claimName === 'string')
      report(nameIsDNSSubdomain(claimName, false), itemAt.child('resourceClaimName'), claimName, errors);
  }
}

/** Validates status.extendedResourceClaimStatus. */
export function validateExtendedClaim(status: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const claim = objectIn(status, 'extendedResourceClaimStatus');
  if (!claim) return;
  const claimAt = at.child('extendedResourceClaimStatus');
  const mappings = objectsIn(claim, 'requestMappings');
  if (mappings.length === 0) errors.required(claimAt.child('requestMappings'), 'at least one request mapping is required');
  const seen = new Set<string>();
  const containers = byName([...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')]);
  for (const [i, mapping] of mappings.entries()) {
    const itemAt = claimAt.child('requestMappings').index(i);
    validateMapping(mapping, containers, itemAt, errors);
    report(
      nameIsDNSLabel(textIn(mapping, 'requestName'), false),
      claimAt.child('requestName'),
      mapping.requestName ?? '',
      errors,
    );
    const key = JSON.stringify(mappingFields.map((field) => textIn(mapping, field)));
    if (seen.has(key)) for (const field of mappingFields) errors.duplicate(itemAt.child(field), textIn(mapping, field));
    seen.add(key);
  }
  const name = textIn(claim, 'resourceClaimName');
  if (name === '') errors.required(claimAt.child('resourceClaimName'));
  else report(nameIsDNSSubdomain(name, false), claimAt.child('resourceClaimName'), name, errors);
}

type Named = ReturnType<typeof byName>;

const mappingFields = ['containerName', 'resourceName', 'requestName'] as const;

function validateMapping(mapping: JsonObject, containers: Named, itemAt: FieldPath, errors: FieldErrors): void {
  const [containerName, resourceName] = [textIn(mapping, 'containerName'), textIn(mapping, 'resourceName')];
  const container = containers.get(containerName);
  if (!container)
    errors.invalid(
      itemAt.child('containerName'),
      containerName,
      'must match the name of an entry in spec.initContainers.name or spec.containers.name',
    );
  else if (!Object.hasOwn(mapIn(objectIn(container, 'resources'), 'requests'), resourceName))
    errors.invalid(
      itemAt.child('resourceName'),
      resourceName,
      'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
    );
}

/** Validates the users of container statuses. */
export function validateContainerUsers(status: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const os = textIn(objectIn(spec, 'os'), 'name') || 'linux';
  for (const list of statusLists)
    for (const [i, container] of objectsIn(status, list).entries()) {
      const linux = objectIn(objectIn(container, 'user'), 'linux');
      const userAt = at.child(list).index(i).child('user', 'linux');
      if (linux && os === 'windows') errors.forbidden(userAt, 'cannot be set for a windows pod');
      else if (linux && os === 'linux') validateLinuxUser(linux, userAt, errors);
    }
}

function validateLinuxUser(user: JsonObject, userAt: FieldPath, errors: FieldErrors): void {
  const check = (id: unknown, idAt: FieldPath) => {
    const value = typeof id === 'number' ? id : 0;
    if (value < 0 || value > maxId) errors.invalid(idAt, value, `must be between 0 and ${maxId}, inclusive`);
  };
  check(user.uid, userAt.child('uid'));
  check(user.gid, userAt.child('gid'));
  const groups = Array.isArray(user.supplementalGroups) ? user.supplementalGroups : [];
  for (const [i, group] of groups.entries()) check(group, userAt.child('supplementalGroups').index(i));
}

/** Validates allocatedResourcesStatus, the health of allocated devices. */
export function validateAllocatedResources(status: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  for (const [list, containers] of [
    ['containerStatuses', 'containers'],
    ['initContainerStatuses', 'initContainers'],
  ] as const) {
    const declared = byName(objectsIn(spec, containers));
    for (const [i, container] of objectsIn(status, list).entries())
      validateAllocatedOf(container, declared.get(container.name), at.child(list).index(i), errors);
  }
  for (const [i, container] of objectsIn(status, 'ephemeralContainerStatuses').entries())
    if (objectsIn(container, 'allocatedResourcesStatus').length > 0)
      errors.forbidden(
        at.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus'),
        'must not be specified in container status',
      );
}

function validateAllocatedOf(
  status: JsonObject,
  container: JsonObject | undefined,
  statusAt: FieldPath,
  errors: FieldErrors,
): void {
  const isAllocatable = container && allocatableIn(objectIn(container, 'resources'));
  for (const [i, allocated] of objectsIn(status, 'allocatedResourcesStatus').entries())
    validateAllocated(allocated, isAllocatable, statusAt.child('allocatedResourcesStatus').index(i), errors);
}

function validateAllocated(
  allocated: JsonObject,
  isAllocatable: ((name: string) => boolean) | undefined,
  itemAt: FieldPath,
  errors: FieldErrors,
): void {
  const name = textIn(allocated, 'name');
  if (isAllocatable && !isAllocatable(name))
    errors.invalid(
      itemAt.child('name'),
      name,
      name.startsWith('claim:')
        ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
        : "must match one of the container's resource requests",
    );
  const seen = new Set<string>();
  for (const [k, resource] of objectsIn(allocated, 'resources').entries()) {
    const resourceAt = itemAt.child('resources').index(k);
    const [health, id] = [textIn(resource, 'health'), textIn(resource, 'resourceID')];
    if (!healths.includes(health)) errors.notSupported(resourceAt.child('health'), health, healths);
    if (resource.message === '') errors.required(resourceAt.child('message'), 'must be non-empty if specified');
    else if (Buffer.byteLength(textIn(resource, 'message')) > maxMessage) errors.tooLong(resourceAt.child('message'), maxMessage);
    if (seen.has(id)) errors.duplicate(resourceAt.child('resourceID'), id);
    seen.add(id);
  }
}

/** Accepts requested resources, and claims as `claim:NAME/REQUEST`. */
function allocatableIn(resources: JsonObject | undefined): (name: string) => boolean {
  const requests = mapIn(resources, 'requests');
  const claims = new Set(
    objectsIn(resources, 'claims').map((claim) => {
      const request = textIn(claim, 'request');
      return `claim:${textIn(claim, 'name')}${request === '' ? '' : `/${request}`}`;
    }),
  );
  return (name) => (name.startsWith('claim:') ? claims.has(name) : Object.hasOwn(requests, name));
}
