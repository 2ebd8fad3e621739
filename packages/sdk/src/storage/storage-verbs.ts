import {
  create,
  deleteCollection,
  deleteOne,
  get,
  list,
  ObjectRegistry,
  patch,
  type Resource,
  type ResourceRequest,
  silentLogger,
  update,
  type VerbHandler,
  type Verbs,
  watch,
} from '@tsukube/apiserver';
import type { ObjectStorage } from './object-storage.ts';
import { StorageCache } from './storage-cache.ts';
import { openStorageWatch, type StorageWatch } from './storage-watch.ts';

type Fields = Record<string, unknown>;

/** The verbs that a storage supports. */
export function storageVerbs(storage: ObjectStorage<Fields>): Verbs {
  const on = (handler: VerbHandler): VerbHandler => onStorage(storage, handler);
  const isListed = storage.list !== undefined;
  return {
    get: on(get),
    ...(isListed && { list: on(list) }),
    ...(isListed && storage.watch && { watch: watchVerb(storage) }),
    ...(storage.create && { create: on(create) }),
    ...(storage.update && { update: on(update), patch: on(patch) }),
    ...(storage.delete && { delete: on(deleteOne) }),
    ...(isListed && storage.delete && { deletecollection: on(deleteCollection) }),
  };
}

/** Serves a verb with the objects of the storage instead of those in the server's store. */
export function onStorage(storage: ObjectStorage<Fields>, handler: VerbHandler): VerbHandler {
  return (request) => handler(Object.assign(request, { objects: objectsFor(request, storage) }));
}

/** The registry of one request: its storage gets the user. */
function objectsFor(request: ResourceRequest, storage: ObjectStorage<Fields>): ObjectRegistry {
  const { resource, user, objects } = request;
  const call = {
    user,
    get signal() {
      return request.signal;
    },
  };
  return new ObjectRegistry(resource, new StorageCache(resource, storage, call), objects.services);
}

/** Watches share one watch of the storage, which the first of them opens. */
function watchVerb(storage: ObjectStorage<Fields>): VerbHandler {
  const opened = new WeakMap<object, Promise<StorageWatch>>();
  const open = async (resource: Resource, request: ResourceRequest): Promise<StorageWatch> => {
    const { logger = silentLogger } = request.objects.services;
    const opening = await openStorageWatch(resource, storage as Parameters<typeof openStorageWatch>[1], logger);
    request.shutdown.onBegin(opening.close);
    return opening;
  };
  return async (request) => {
    const { resource, objects, shutdown } = request;
    let opening = opened.get(shutdown);
    if (!opening) {
      opening = open(resource, request);
      opened.set(shutdown, opening);
      // The next watch tries again.
      opening.catch(() => opened.delete(shutdown));
    }
    const { cache } = await opening;
    return watch(Object.assign(request, { objects: new ObjectRegistry(resource, cache, objects.services) }));
  };
}
