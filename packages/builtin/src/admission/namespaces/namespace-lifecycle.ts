import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  decodeObject,
  forbiddenByAdmission,
  type ObjectCache,
} from '@tsukube/apiserver';
import { objectIn, StatusError } from '@tsukube/machinery';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** NamespaceLifecycle: writes need an existing namespace, creates a non-terminating one; system namespaces cannot be deleted. `namespaces` is undefined if Namespaces are not served. */
export function namespaceLifecycle(namespaces: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate(attributes) {
      const { operation, resource } = attributes;
      if (!namespaces || operation === 'CONNECT') return;
      if (resource.names.plural === 'namespaces' && resource.hub.group === '') return protect(attributes);
      if (resource.scope !== 'Namespaced' || operation === 'DELETE' || isAccessReview(attributes)) return;
      if (operation !== 'CREATE' && exists(namespaces, attributes)) return;
      const waiting = namespaces.fresh();
      return waiting ? waiting.then(() => checkNamespace(namespaces, attributes)) : checkNamespace(namespaces, attributes);
    },
  };
}

/** Access reviews do not reveal whether their namespace exists. */
function isAccessReview({ resource }: AdmissionAttributes): boolean {
  return resource.names.plural === 'localsubjectaccessreviews' && resource.hub.group === 'authorization.k8s.io';
}

function exists(namespaces: ObjectCache, { namespace }: AdmissionAttributes): boolean {
  return namespaces.peek(`${namespaces.prefix}${namespace}`) !== undefined;
}

function protect({ operation, resource, name }: AdmissionAttributes): void {
  if (operation !== 'DELETE' || !immortal.has(name)) return;
  throw StatusError.forbidden({ group: '', resource: resource.names.plural }, name, 'this namespace may not be deleted');
}

const terminating = Buffer.from('"phase":"Terminating"');

function checkNamespace(namespaces: ObjectCache, attributes: AdmissionAttributes): void {
  const { operation, namespace } = attributes;
  const entry = namespaces.peek(`${namespaces.prefix}${namespace}`);
  if (!entry) throw StatusError.notFound({ group: '', resource: 'namespaces' }, namespace);
  // A cheap search of the bytes; the object is parsed only on a hit.
  if (operation !== 'CREATE' || !entry.value.includes(terminating)) return;
  const object = decodeObject(entry.value);
  if (objectIn(object, 'status')?.phase !== 'Terminating') return;
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbiddenByAdmission(attributes, reason);
  const causes = [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ];
  throw new StatusError({ ...status, details: { ...status.details, causes } });
}
