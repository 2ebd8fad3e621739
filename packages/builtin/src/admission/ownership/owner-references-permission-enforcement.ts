import {
  type AccessAttributes,
  type AdmissionAttributes,
  type AdmissionPlugin,
  type Authorizer,
  forbiddenByAdmission,
  type Verdict,
} from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { isPodRequest } from '../common/plugin.ts';

/** A served resource of a kind. */
export interface KindResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly isNamespaced: boolean;
}

/** The served resources of a kind in a version. */
export type ResourcesOfKind = (apiVersion: string, kind: string) => readonly KindResource[] | Promise<readonly KindResource[]>;

/**
 * OwnerReferencesPermissionEnforcement: changing ownerReferences requires the permission to delete the object, and
 * blockOwnerDeletion the permission to update the finalizers of the owner.
 */
export function ownerReferencesPermissionEnforcement(authorizer: Authorizer, resourcesOf: ResourcesOfKind): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validate(attributes) {
      const { operation } = attributes;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      // Old kubelets drop the field; the strategy ignores it in status updates.
      if (isPodRequest(attributes, 'status') || !changesOwners(attributes)) return;
      return enforce(attributes, authorizer, resourcesOf);
    },
  };
}

function ownersOf(object: JsonObject | undefined): readonly JsonObject[] {
  return objectsIn(objectIn(object, 'metadata'), 'ownerReferences');
}

function changesOwners({ object, oldObject }: AdmissionAttributes): boolean {
  const [owners, old] = [ownersOf(object), ownersOf(oldObject)];
  return owners.length !== old.length || owners.some((owner, i) => !deepEqual(owner, old[i]));
}

async function enforce(attributes: AdmissionAttributes, authorizer: Authorizer, resourcesOf: ResourcesOfKind): Promise<void> {
  if (attributes.operation === 'UPDATE') await requireDelete(attributes, authorizer);
  const blocking = newBlockingOwners(attributes);
  if (blocking.length === 0) return;
  const anything = { group: '*', version: '*', resource: '*', namespace: '', name: '*' };
  if ((await mayFinalize(attributes, authorizer, anything)).decision === 'allow') return;
  for (const owner of blocking) await requireFinalizers(attributes, owner, authorizer, resourcesOf);
}

async function requireDelete(attributes: AdmissionAttributes, authorizer: Authorizer): Promise<void> {
  const { user, namespace, name, subresource, version, resource } = attributes;
  const verdict = await authorizer.authorize({
    ...{ user, verb: 'delete', isResource: true, path: '', namespace, name, subresource },
    ...{ group: version.group, version: version.version, resource: resource.names.plural },
  });
  if (verdict.decision !== 'allow')
    throw forbiddenByAdmission(attributes, `cannot set an ownerRef on a resource you can't delete: ${explained(verdict)}`);
}

function explained({ reason, error }: Verdict): string {
  return `${reason}, ${error ?? '<nil>'}`;
}

/** References that are new or begin to block the deletion of their owner. */
function newBlockingOwners({ object, oldObject }: AdmissionAttributes): readonly JsonObject[] {
  const isBlocking = ({ blockOwnerDeletion }: JsonObject) => blockOwnerDeletion === true;
  const before = new Map(ownersOf(oldObject).map((owner) => [owner.uid, isBlocking(owner)]));
  return ownersOf(object).filter((owner) => isBlocking(owner) && before.get(owner.uid) !== true);
}

type Target = Pick<AccessAttributes, 'group' | 'version' | 'resource' | 'namespace' | 'name'>;

function mayFinalize({ user }: AdmissionAttributes, authorizer: Authorizer, target: Target): Verdict | Promise<Verdict> {
  return authorizer.authorize({ ...target, user, verb: 'update', subresource: 'finalizers', isResource: true, path: '' });
}

async function requireFinalizers(
  attributes: AdmissionAttributes,
  owner: JsonObject,
  authorizer: Authorizer,
  resourcesOf: ResourcesOfKind,
): Promise<void> {
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) => textIn(owner, field)) as [
    string,
    string,
    string,
  ];
  const resources = await resourcesOf(apiVersion, kind);
  if (resources.length === 0) {
    const problem = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
    const subject = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    throw forbiddenByAdmission(attributes, `cannot set blockOwnerDeletion in this case because ${subject}: ${problem}`);
  }
  for (const { isNamespaced, ...resource } of resources) {
    const namespace = isNamespaced ? attributes.namespace : '';
    const verdict = await mayFinalize(attributes, authorizer, { ...resource, namespace, name });
    if (verdict.decision === 'allow') continue;
    const rule = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
    throw forbiddenByAdmission(attributes, `${rule}: ${explained(verdict)}`);
  }
}
