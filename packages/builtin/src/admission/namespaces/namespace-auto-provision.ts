import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  asServer,
  forbiddenByAdmission,
  type ObjectCache,
  type ObjectRegistry,
} from '@tsukube/apiserver';
import { type KubeObject, StatusError } from '@tsukube/machinery';
import { whenFresh } from '../common/cached-objects.ts';

/** NamespaceAutoProvision: creates a missing namespace. `namespaces` is undefined if Namespaces are not served. */
export function namespaceAutoProvision(namespaces: ObjectRegistry | undefined): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    mutate(attributes) {
      const { operation, namespace, resource, dryRun } = attributes;
      if (!namespaces || operation !== 'CREATE' || namespace === '' || dryRun) return;
      if (resource.names.plural === 'namespaces' && resource.hub.group === '') return;
      return provision(attributes, namespaces);
    },
  };
}

async function provision(attributes: AdmissionAttributes, namespaces: ObjectRegistry): Promise<void> {
  const { namespace } = attributes;
  const { cache } = namespaces;
  if (await cache.get(`${cache.prefix}${namespace}`)) return;
  try {
    const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} };
    namespaces.resource.strategy.applyDefaults?.(object);
    await namespaces.create(object, asServer(namespaces));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === 'AlreadyExists') return;
    throw error.reason === 'Forbidden' ? error : forbiddenByAdmission(attributes, error.message);
  }
}

/** NamespaceExists: writes need an existing namespace. `namespaces` is undefined if Namespaces are not served. */
export function namespaceExists(namespaces: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    validate({ operation, namespace, resource }) {
      if (!namespaces || namespace === '' || operation === 'CONNECT') return;
      if (resource.names.plural === 'namespaces' && resource.hub.group === '') return;
      return whenFresh(namespaces, () => {
        if (namespaces.peek(`${namespaces.prefix}${namespace}`) === undefined)
          throw StatusError.notFound({ group: '', resource: 'namespaces' }, namespace);
      });
    },
  };
}
