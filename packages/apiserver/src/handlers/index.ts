export { readRequestBody } from './decoding/body.ts';
export { writeContext } from './decoding/write-options.ts';

import type { Strategy, Subresource, Verbs } from '../registry/resource.ts';
import { create } from './verbs/create.ts';
import { deleteOne } from './verbs/delete.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';

export { type Action, type ActionKind, actionSubresource, actionVerb } from './verbs/action.ts';
export { type Connect, connectSubresource, subpathOf } from './verbs/connect.ts';
export { type Scalable, scaleSubresource } from './verbs/scale.ts';
export { type Compute, computedVerbs, type Review, reviewVerbs } from './verbs/virtual.ts';
export { create, deleteCollection, deleteOne, get, list, patch, update, watch };

/** The verbs of a resource with stored objects. */
export const storedVerbs = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
} satisfies Verbs;

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
