import { type AdmissionAttributes, type AdmissionPlugin, decodeObject, type ObjectCache } from '@tsukube/apiserver';
import { objectIn, StatusError } from '@tsukube/machinery';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** NamespaceLifecycle: writes need an existing namespace, creates a non-terminating one; system namespaces cannot be deleted. */
export function namespaceLifecycle(namespaces: ObjectCache): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate(attributes) {
      if (attributes.resource.names.plural === 'namespaces') return protect(attributes);
      if (attributes.resource.scope !== 'Namespaced' || attributes.operation === 'DELETE') return;
      if (attributes.operation !== 'CREATE' && exists(namespaces, attributes)) return;
      const waiting = namespaces.fresh();
      return waiting ? waiting.then(() => checkNamespace(namespaces, attributes)) : checkNamespace(namespaces, attributes);
    },
  };
}

function exists(namespaces: ObjectCache, { namespace }: AdmissionAttributes): boolean {
  return namespaces.peek(`${namespaces.prefix}${namespace}`) !== undefined;
}

function protect({ operation, resource, name }: AdmissionAttributes): void {
  if (operation !== 'DELETE' || !immortal.has(name)) return;
  throw StatusError.forbidden({ group: '', resource: resource.names.plural }, name, 'this namespace may not be deleted');
}

const terminating = Buffer.from('"phase":"Terminating"');

function checkNamespace(namespaces: ObjectCache, { operation, namespace, resource, version, name }: AdmissionAttributes): void {
  const entry = namespaces.peek(`${namespaces.prefix}${namespace}`);
  if (!entry) throw StatusError.notFound({ group: '', resource: 'namespaces' }, namespace);
  // A cheap search of the bytes; the object is parsed only on a hit.
  if (operation !== 'CREATE' || !entry.value.includes(terminating)) return;
  const object = decodeObject(entry.value);
  if (objectIn(object, 'status')?.phase !== 'Terminating') return;
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = StatusError.forbidden({ group: version.group, resource: resource.names.plural }, name, reason);
  const causes = [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ];
  throw new StatusError({ ...status, details: { ...status.details, causes } });
}
