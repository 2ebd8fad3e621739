import { type Strategy, type Subresource, storedVerbs } from '@tsukube/apiserver';

/** The status of a kind: an update through it leaves the spec alone. */
export function statusSubresource(validateUpdate: Strategy['validateUpdate'], more: Partial<Strategy> = {}): Subresource {
  return {
    verbs: { get: storedVerbs.get, update: storedVerbs.update, patch: storedVerbs.patch },
    strategy: {
      allowCreateOnUpdate: false,
      warnings: () => [],
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
      },
      ...(validateUpdate && { validateUpdate }),
      ...more,
    },
  };
}
