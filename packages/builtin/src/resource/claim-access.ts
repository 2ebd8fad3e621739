import {
  type AccessAttributes,
  type Authorizer,
  decodeObject,
  forbiddenError,
  type Strategy,
  type User,
} from '@tsukube/apiserver';
import {
  deepEqual,
  FieldErrors,
  type FieldPath,
  type JsonObject,
  mapIn,
  metadataOf,
  objectIn,
  objectsIn,
  path,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';

type AuthorizeWrite = NonNullable<Strategy['authorizeWrite']>;
type Registry = Parameters<AuthorizeWrite>[3];

const group = 'resource.k8s.io';
const adminLabel = 'resource.kubernetes.io/admin-access';
const allocationAt = path('status', 'allocation');

/** Admin access requires a label on the namespace. `specOf` returns the claim spec of a claim or a template. */
export function checkAdminAccess(kind: string, specOf: (object: JsonObject) => JsonObject | undefined): AuthorizeWrite {
  return async (object, old, { namespace }, objects) => {
    // The spec is immutable.
    if (old) return;
    const requests = objectsIn(objectIn(specOf(object), 'devices'), 'requests');
    const index = requests.findIndex((request) => objectIn(request, 'exactly')?.adminAccess === true);
    const errors = new FieldErrors();
    const at = path('spec', 'devices', 'requests').index(index).child('adminAccess');
    if (index >= 0) await requireAdminNamespace(namespace, at, objects, errors);
    refuse(kind, object, errors);
  };
}

/** Authorizes status updates: allocation and reservation for the scheduler, device status for drivers. */
export function checkClaimStatus(authorizer: Authorizer): AuthorizeWrite {
  return async (object, old, { namespace, user, verb }, objects) => {
    // Internal writes have no verb.
    if (verb === undefined) return;
    const [status, before] = [objectIn(object, 'status'), objectIn(old, 'status')];
    const errors = new FieldErrors();
    await checkAdminResults(status, before, namespace, objects, errors);
    const access: AccessAttributes = {
      ...{ user, verb, isResource: true, group, version: 'v1', resource: 'resourceclaims', path: '' },
      ...{ subresource: 'binding', namespace: '', name: '' },
    };
    await checkBinding(status, before, access, authorizer, errors);
    if (objectIn(status, 'allocation')) await checkDrivers(status, before, { ...access, namespace }, authorizer, errors);
    refuse('ResourceClaim', object, errors);
  };
}

function refuse(kind: string, object: JsonObject, errors: FieldErrors): void {
  if (errors.length > 0) throw StatusError.invalid({ group, kind }, textIn(metadataOf(object), 'name'), errors);
}

async function requireAdminNamespace(namespace: string, at: FieldPath, objects: Registry, errors: FieldErrors): Promise<void> {
  const namespaces = objects.services.registryNamed?.('', 'namespaces');
  const entry = await namespaces?.cache.get(namespaces.key('', namespace));
  const labels = entry ? mapIn(metadataOf(decodeObject(entry.value)), 'labels') : {};
  if (labels[adminLabel] !== 'true')
    errors.forbidden(at, `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`);
}

async function checkAdminResults(
  status: JsonObject | undefined,
  before: JsonObject | undefined,
  namespace: string,
  objects: Registry,
  errors: FieldErrors,
): Promise<void> {
  const granted = (from: JsonObject | undefined) =>
    objectsIn(objectIn(objectIn(from, 'allocation'), 'devices'), 'results').findIndex(({ adminAccess }) => adminAccess === true);
  const index = granted(status);
  if (index < 0 || granted(before) >= 0) return;
  const at = allocationAt.child('devices', 'results').index(index).child('adminAccess');
  await requireAdminNamespace(namespace, at, objects, errors);
}

async function checkBinding(
  status: JsonObject | undefined,
  before: JsonObject | undefined,
  access: AccessAttributes,
  authorizer: Authorizer,
  errors: FieldErrors,
): Promise<void> {
  const same = ['allocation', 'reservedFor'].every((field) => deepEqual(status?.[field] ?? null, before?.[field] ?? null));
  if (same) return;
  const refusal = await refusalOf(access, authorizer);
  const needed = `resource="resourceclaims/binding", verb="${access.verb}"`;
  if (refusal !== undefined)
    errors.forbidden(allocationAt, `changing status.allocation or status.reservedFor requires ${needed} permission: ${refusal}`);
}

async function checkDrivers(
  status: JsonObject | undefined,
  before: JsonObject | undefined,
  access: AccessAttributes,
  authorizer: Authorizer,
  errors: FieldErrors,
): Promise<void> {
  const prefixes = isOnNode(access.user, allocatedNode(status)) ? ['associated-node:', 'arbitrary-node:'] : ['arbitrary-node:'];
  const verbs = prefixes.map((prefix) => `${prefix}${access.verb}`);
  for (const driver of changedDrivers(status, before)) {
    const refusals: string[] = [];
    for (const verb of verbs) {
      const refusal = await refusalOf({ ...access, verb, subresource: 'driver', name: driver }, authorizer);
      if (refusal === undefined) break;
      refusals.push(refusal);
    }
    if (refusals.length < verbs.length) continue;
    const needed = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]"`;
    errors.forbidden(path('status', 'devices'), `changing status.devices requires ${needed} permission: ${refusals[0]}`);
  }
}

/** Drivers of devices with an added, removed or changed status. */
function changedDrivers(status: JsonObject | undefined, before: JsonObject | undefined): readonly string[] {
  const keyOf = (device: JsonObject) =>
    JSON.stringify(['driver', 'pool', 'device', 'shareID'].map((field) => textIn(device, field)));
  const [now, then] = [status, before].map(
    (from) => new Map(objectsIn(from, 'devices').map((device) => [keyOf(device), device])),
  );
  const keys = new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])]);
  const changed = [...keys].filter((key) => !deepEqual(now?.get(key) ?? null, then?.get(key) ?? null));
  return [...new Set(changed.map((key) => textIn(now?.get(key) ?? then?.get(key), 'driver')))].sort();
}

/** The node of an allocation to a single node; empty otherwise. */
function allocatedNode(status: JsonObject | undefined): string {
  const terms = objectsIn(objectIn(objectIn(status, 'allocation'), 'nodeSelector'), 'nodeSelectorTerms');
  const [field, ...others] = objectsIn(terms[0], 'matchFields');
  if (terms.length !== 1 || objectsIn(terms[0], 'matchExpressions').length > 0 || others.length > 0) return '';
  const [name = '', ...otherNames] = textsIn(field, 'values');
  return field?.key === 'metadata.name' && field.operator === 'In' && otherNames.length === 0 ? name : '';
}

function isOnNode({ name, extra }: User, node: string): boolean {
  const nodes = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return node !== '' && name.startsWith('system:serviceaccount:') && nodes.length === 1 && nodes[0] === node;
}

async function refusalOf(access: AccessAttributes, authorizer: Authorizer): Promise<string | undefined> {
  const { decision, reason, error } = await authorizer.authorize(access);
  if (decision === 'allow') return undefined;
  return forbiddenError(access, [error, reason].filter(Boolean).join(': ')).message;
}
