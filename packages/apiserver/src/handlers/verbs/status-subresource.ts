import type { Strategy, Subresource } from '../../registry/resource.ts';
import { get } from './get.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';

/** The status subresource of a kind. Updates through it keep the spec. */
export function statusSubresource(validateUpdate: Strategy['validateUpdate'], more: Partial<Strategy> = {}): Subresource {
  return {
    verbs: { get, update, patch },
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
