import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type JsonObject, metadataOf, newUid, objectIn, objectsIn } from '@tsukube/machinery';
import { plainColumns } from '../common/columns.ts';
import { schemaOf } from '../common/schema.ts';
import { roundResources } from './container/resource-list.ts';
import { validateLimitRange } from './limit-range-validation.ts';

const v1: ServedVersion = { group: '', version: 'v1', schema: schemaOf('core.v1.LimitRange'), columns: plainColumns };

export const limitRange: Resource = {
  names: {
    plural: 'limitranges',
    singular: 'limitrange',
    kind: 'LimitRange',
    listKind: 'LimitRangeList',
    shortNames: ['limits'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/limitranges',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    allowCreateOnUpdate: true,
    applyDefaults(object) {
      for (const item of objectsIn(objectIn(object, 'spec'), 'limits')) defaultItem(item);
    },
    prepareForCreate(object) {
      metadataOf(object).name ||= newUid();
    },
    validateCreate: validateLimitRange,
    validateUpdate: (object, _old, errors) => validateLimitRange(object, errors),
  },
};

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/** A container that has a maximum has a limit, and one that has a limit or a minimum has a request. */
function defaultItem(item: JsonObject): void {
  if (item.type === 'Container') {
    const limits = { ...objectIn(item, 'max'), ...objectIn(item, 'default') };
    const requests = { ...objectIn(item, 'min'), ...limits, ...objectIn(item, 'defaultRequest') };
    if (Object.keys(limits).length > 0) item.default = sorted(limits);
    if (Object.keys(requests).length > 0) item.defaultRequest = sorted(requests);
  }
  for (const list of lists) roundResources(objectIn(item, list));
}

function sorted(list: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
}
