import type { AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import { whenFresh } from '../common/cached-objects.ts';

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
