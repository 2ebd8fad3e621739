export { readRequestBody } from './body.ts';

import type { Verbs } from '../resource.ts';
import { create } from './create.ts';
import { deleteOne } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

export { type Action, type ActionKind, actionSubresource, actionVerb } from './action.ts';
export { type Compute, computedVerbs } from './computed.ts';
export { type Review, reviewVerbs } from './review.ts';
export { type Scalable, scaleSubresource } from './scale.ts';
export { create, deleteCollection, deleteOne, get, list, patch, update, watch };

/** What a resource serves whose objects are kept in the store. */
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
