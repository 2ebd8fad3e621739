import type { Strategy, Subresource } from '../resource.ts';
import { storedVerbs } from './index.ts';

/** The status subresource of a kind. Updates through it keep the spec. */
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
