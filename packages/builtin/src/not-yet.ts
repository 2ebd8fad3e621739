import type { Subresource } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** A way to what runs behind an object, which is announced and refused: there is nothing here that could take it. */
export function notYet(resource: string, kind: string): Subresource {
  return {
    kind: { group: '', version: 'v1', kind },
    connectMethods: methods,
    verbs: {
      connect() {
        throw StatusError.methodNotSupported({ group: '', resource }, 'connect');
      },
    },
  };
}
