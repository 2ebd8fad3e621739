import { encodeConfiguration, managers } from './applied.mjs';
import { continueTokenIn, encodeConfigMap, objectName, resourceVersionIn, stampOf } from './config-map.mjs';
import { encodeObject, encodePatch } from './manifest.mjs';

/**
 * @typedef {import('./closed-loop.mjs').Work} Work
 * @typedef {import('./connection.mjs').RequestShape} RequestShape
 * @typedef {import('./manifest.mjs').ObjectKind} ObjectKind
 *
 * @typedef {{ index: number, of: number }} Share  index of this driver process
 * @typedef {{ lane: number, lanes: number, share: Share }} Place
 *
 * @typedef {(
 *   | { kind: 'create', prefix: string, count: number, of?: ObjectKind }
 *   | { kind: 'delete', prefix: string, counts: readonly number[] }
 *   | { kind: 'get', prefix: string, count: number, accept?: string }
 *   | { kind: 'update', prefix: string, count: number }
 *   | { kind: 'patch', prefix: string, count: number, of?: ObjectKind }
 *   | { kind: 'apply', prefix: string, count: number }
 *   | { kind: 'disown', prefix: string, count: number }
 *   | { kind: 'list', query: string, accept: string, paged: boolean }
 * )} Operation
 */

const json = 'application/json';

/** @type {Record<Operation['kind'], RequestShape>} */
const shapes = {
  create: { method: 'POST', accept: json, contentType: json },
  delete: { method: 'DELETE', accept: json },
  get: { method: 'GET', accept: json },
  update: { method: 'PUT', accept: json, contentType: json },
  patch: { method: 'PATCH', accept: json, contentType: 'application/merge-patch+json' },
  apply: { method: 'PATCH', accept: json, contentType: 'application/apply-patch+yaml' },
  disown: { method: 'PATCH', accept: json, contentType: 'application/merge-patch+json' },
  list: { method: 'GET', accept: json },
};

/** @param {Operation} operation @returns {RequestShape} */
export function shapeOf(operation) {
  const shape = shapes[operation.kind];
  return 'accept' in operation && operation.accept ? { ...shape, accept: operation.accept } : shape;
}

/** @param {Operation} operation */
export function successOf(operation) {
  return operation.kind === 'create' ? 201 : 200;
}

/**
 * Distributes the indexes of one process over its lanes.
 * @param {number} count @param {Share} share @returns {() => number | undefined}
 */
function takeIndexes(count, share) {
  let taken = 0;
  return () => (taken < count ? share.index + share.of * taken++ : undefined);
}

/** @param {number} count @param {Share} share */
function countOfShare(count, share) {
  return Math.floor((count - share.index + share.of - 1) / share.of);
}

/**
 * Writers never share an object: the rows measure writes, not conflicts.
 * @param {number} count @param {Place} place @returns {() => number}
 */
function cycleOwnIndexes(count, { lane, lanes, share }) {
  const first = share.index * lanes + lane;
  const step = lanes * share.of;
  let next = first;
  return () => {
    const index = next;
    next = next + step < count ? next + step : first;
    return index;
  };
}

/** @param {string} collection @param {string} query @param {boolean} paged @returns {Work} */
function listWork(collection, query, paged) {
  const path = query ? `${collection}?${query}` : collection;
  const next = () => ({ path });
  if (!paged) return { next };
  return {
    next,
    received: (body) => {
      const token = continueTokenIn(body);
      return token ? { path: `${path}&continue=${encodeURIComponent(token)}` } : undefined;
    },
  };
}

/**
 * @param {string} collection @param {string} prefix @param {() => number} nextIndex
 * @param {Map<string, string>} versions by name @returns {Work}
 */
function updateWork(collection, prefix, nextIndex, versions) {
  let index = nextIndex();
  let writes = 0;
  return {
    next: () => {
      const name = objectName(prefix, index);
      const body = encodeConfigMap(prefix, index, stampOf(`${Date.now()}${++writes}`), versions.get(name));
      return { path: `${collection}/${name}`, body };
    },
    received: (body) => {
      versions.set(objectName(prefix, index), resourceVersionIn(body) ?? '');
      index = nextIndex();
      return undefined;
    },
  };
}

/** @param {string} collection @param {string} prefix @param {() => number} nextIndex @param {ObjectKind} [kind] @returns {Work} */
function patchWork(collection, prefix, nextIndex, kind = 'configmaps') {
  let writes = 0;
  return {
    next: () => ({
      path: `${collection}/${objectName(prefix, nextIndex())}`,
      body: encodePatch(kind, stampOf(`${Date.now()}${++writes}`)),
    }),
  };
}

/**
 * @param {Operation} operation @param {string} collection the path of the collection @param {number} lanes @param {Share} share
 * @param {Map<string, string>} versions the resourceVersion of each object, by name; only updates need it
 * @returns {Work[]} one for each lane
 */
export function createWorks(operation, collection, lanes, share, versions) {
  const forEachLane = (/** @type {(place: Place) => Work} */ make) =>
    Array.from({ length: lanes }, (_, lane) => make({ lane, lanes, share }));
  switch (operation.kind) {
    case 'create': {
      const take = takeIndexes(countOfShare(operation.count, share), share);
      return forEachLane(() => createWork(collection, operation.prefix, take, operation.of));
    }
    case 'delete': {
      const take = takeIndexes(operation.counts[share.index] ?? 0, share);
      return forEachLane(() => deleteWork(collection, operation.prefix, take));
    }
    case 'get':
      return forEachLane(() => getWork(collection, operation.prefix, operation.count));
    case 'update':
      return forEachLane((place) => updateWork(collection, operation.prefix, cycleOwnIndexes(operation.count, place), versions));
    case 'patch':
      return forEachLane((place) =>
        patchWork(collection, operation.prefix, cycleOwnIndexes(operation.count, place), operation.of),
      );
    case 'apply':
      return forEachLane((place) => applyWork(collection, operation.prefix, cycleOwnIndexes(operation.count, place)));
    case 'disown': {
      const take = takeIndexes(countOfShare(operation.count, share), share);
      return forEachLane(() => disownWork(collection, operation.prefix, take));
    }
    case 'list':
      return forEachLane(() => listWork(collection, operation.query, operation.paged));
  }
}

/** @param {string} collection @param {string} prefix @param {() => number | undefined} take @param {ObjectKind} [kind] @returns {Work} */
function createWork(collection, prefix, take, kind = 'configmaps') {
  return {
    next: () => {
      const index = take();
      return index === undefined ? undefined : { path: collection, body: encodeObject(kind, prefix, index, stampOf(index)) };
    },
  };
}

/** @param {string} collection @param {string} prefix @param {() => number | undefined} take @returns {Work} */
function deleteWork(collection, prefix, take) {
  return {
    next: () => {
      const index = take();
      return index === undefined ? undefined : { path: `${collection}/${objectName(prefix, index)}` };
    },
  };
}

const noOwners = Buffer.from('{"metadata":{"managedFields":[{}]}}');

/** Once managedFields are removed from an object, they are not tracked until the next apply. @param {string} collection @param {string} prefix @param {() => number | undefined} take @returns {Work} */
function disownWork(collection, prefix, take) {
  return {
    next: () => {
      const index = take();
      return index === undefined ? undefined : { path: `${collection}/${objectName(prefix, index)}`, body: noOwners };
    },
  };
}

/** @param {string} collection @param {string} prefix @param {number} count @returns {Work} */
function getWork(collection, prefix, count) {
  return { next: () => ({ path: `${collection}/${objectName(prefix, Math.floor(Math.random() * count))}` }) };
}

/** The managers take turns on every object. @param {string} collection @param {string} prefix @param {() => number} nextIndex @returns {Work} */
function applyWork(collection, prefix, nextIndex) {
  let writes = 0;
  return {
    next: () => {
      const index = nextIndex();
      const manager = Math.floor(writes / managers + index) % managers;
      const body = encodeConfiguration(prefix, index, manager, stampOf(`${Date.now()}${++writes}`));
      return { path: `${collection}/${objectName(prefix, index)}?fieldManager=manager-${manager}`, body };
    },
  };
}
