import {
  asBootstrap,
  type CacheEntry,
  decodeObject,
  deleteObject,
  type ObjectRegistry,
  updateExisting,
  type WriteContext,
} from '@tsukube/apiserver';
import { deepCopy, deepEqual, type JsonObject, type KubeObject, metadataOf, objectIn, StatusError } from '@tsukube/machinery';
import { ignoreNotFound } from './controller.ts';

export type DefaultObjects = readonly JsonObject[];

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
const manager = 'api-priority-and-fairness-config-producer-v1';

/** Creates missing defaults, updates objects with autoupdate-spec, and deletes former defaults. */
export async function ensureDefaults(
  objects: ObjectRegistry,
  mandatory: DefaultObjects,
  suggested: DefaultObjects,
): Promise<void> {
  await objects.cache.fresh();
  // The first round is part of the start of the server.
  const context = { ...asBootstrap(objects), fieldManager: manager };
  const all = [...suggested, ...mandatory];
  const ensuring = all.map((expected) => ensureOne(objects, expected, mandatory.includes(expected), context));
  await Promise.all([
    ...ensuring,
    ...obsolete(objects, all).map((name) => ignoreNotFound(deleteObject(objects, name, {}, context))),
  ]);
}

async function ensureOne(objects: ObjectRegistry, expected: JsonObject, always: boolean, context: WriteContext): Promise<void> {
  const entry = objects.cache.peek(objects.key('', nameOf(expected)));
  try {
    if (!entry) await objects.create(deepCopy(expected), context);
    else if (!entry.corrupt) await restore(objects, entry, expected, always, context);
  } catch (error) {
    // Another replica was faster. Its write is checked in the next round.
    if (!(error instanceof StatusError && (error.reason === 'AlreadyExists' || error.reason === 'Conflict'))) throw error;
  }
}

async function restore(
  objects: ObjectRegistry,
  entry: CacheEntry,
  expected: JsonObject,
  always: boolean,
  context: WriteContext,
): Promise<void> {
  if (!revised(decodeObject(entry.value), expected, always)) return;
  const change = (existing: KubeObject) => revised(existing, expected, always) ?? existing;
  await updateExisting(objects, nameOf(expected), undefined, change, context);
}

/** The updated object, or undefined if it is up to date. */
function revised(current: JsonObject, expected: JsonObject, always: boolean): JsonObject | undefined {
  const follows = always || followsDefaults(current);
  const isMarked = annotations(current)[autoUpdate] === String(follows);
  const isSame = !follows || sameSpec(current, expected);
  if (isMarked && isSame) return undefined;
  const metadata = metadataOf(current);
  return {
    ...current,
    metadata: { ...metadata, annotations: { ...annotations(current), [autoUpdate]: String(follows) } },
    spec: isSame ? specOf(current) : deepCopy(specOf(expected)),
  };
}

/** Without the annotation, an object is auto-updated while its generation is 1. */
function followsDefaults(object: JsonObject): boolean {
  const value = annotations(object)[autoUpdate];
  if (value === 'true' || value === 'false') return value === 'true';
  return metadataOf(object).generation === 1;
}

/** The settings of exempt levels belong to administrators. */
function sameSpec(current: JsonObject, expected: JsonObject): boolean {
  const [{ exempt, ...rest }, { exempt: expectedExempt, ...others }] = [specOf(current), specOf(expected)];
  return (exempt === undefined) === (expectedExempt === undefined) && deepEqual(rest, others);
}

function obsolete(objects: ObjectRegistry, expected: DefaultObjects): readonly string[] {
  const names = new Set(expected.map(nameOf));
  const entries = objects.cache.slice(objects.cache.prefix).filter(({ corrupt }) => !corrupt);
  const found = entries.map((entry) => decodeObject(entry.value));
  return found.filter((object) => !names.has(nameOf(object)) && annotations(object)[autoUpdate] === 'true').map(nameOf);
}

function specOf(object: JsonObject): JsonObject {
  return objectIn(object, 'spec') ?? {};
}

function nameOf(object: JsonObject): string {
  return metadataOf(object).name ?? '';
}

function annotations(object: JsonObject): Readonly<Record<string, string>> {
  return metadataOf(object).annotations ?? {};
}
