import { type CacheEntry, decodeObject, deleteObject, type ObjectRegistry, type WriteContext } from '@tsukube/apiserver';
import { deepCopy, deepEqual, type JsonObject, StatusError } from '@tsukube/machinery';
import { writeAs } from '../controller.ts';

export type DefaultObjects = readonly JsonObject[];

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
const manager = 'api-priority-and-fairness-config-producer-v1';

/** Creates what is missing, restores what follows the defaults, and removes what once was a default and is none any more. */
export async function ensureDefaults(
  objects: ObjectRegistry,
  mandatory: DefaultObjects,
  suggested: DefaultObjects,
): Promise<void> {
  await objects.cache.fresh();
  const context = { ...writeAs(objects, ''), fieldManager: manager };
  const all = [...suggested, ...mandatory];
  const ensuring = all.map((wanted) => ensureOne(objects, wanted, mandatory.includes(wanted), context));
  await Promise.all([...ensuring, ...unwanted(objects, all).map((name) => remove(objects, name, context))]);
}

async function ensureOne(objects: ObjectRegistry, wanted: JsonObject, always: boolean, context: WriteContext): Promise<void> {
  const entry = objects.cache.peek(objects.key('', nameOf(wanted)));
  try {
    if (!entry) await objects.create(deepCopy(wanted) as JsonObject, context);
    else if (!entry.corrupt) await restore(objects, entry, wanted, always, context);
  } catch (error) {
    // Another replica was faster; what it wrote is looked at the next time.
    if (!(error instanceof StatusError && (error.reason === 'AlreadyExists' || error.reason === 'Conflict'))) throw error;
  }
}

async function restore(
  objects: ObjectRegistry,
  entry: CacheEntry,
  wanted: JsonObject,
  always: boolean,
  context: WriteContext,
): Promise<void> {
  if (!revised(decodeObject(entry.value), wanted, always)) return;
  const transform = (existing: JsonObject | undefined) =>
    revised(existing as JsonObject, wanted, always) ?? (existing as JsonObject);
  await objects.update(nameOf(wanted), undefined, transform, context);
}

/** The object as it should be, or undefined if it is. */
function revised(current: JsonObject, wanted: JsonObject, always: boolean): JsonObject | undefined {
  const follows = always || followsDefaults(current);
  const isMarked = annotations(current)[autoUpdate] === String(follows);
  const isSame = !follows || sameSpec(current, wanted);
  if (isMarked && isSame) return undefined;
  const metadata = current.metadata as JsonObject;
  return {
    ...current,
    metadata: { ...metadata, annotations: { ...annotations(current), [autoUpdate]: String(follows) } },
    spec: isSame ? (current.spec as JsonObject) : (deepCopy(wanted.spec as JsonObject) as JsonObject),
  };
}

/** What says nothing of it follows while nobody has changed it. */
function followsDefaults(object: JsonObject): boolean {
  const stated = annotations(object)[autoUpdate];
  if (stated === 'true' || stated === 'false') return stated === 'true';
  return (object.metadata as JsonObject).generation === 1;
}

/** How many seats the exempt count for is for administrators to say. */
function sameSpec(current: JsonObject, wanted: JsonObject): boolean {
  const [{ exempt, ...rest }, { exempt: expected, ...others }] = [current.spec as JsonObject, wanted.spec as JsonObject];
  return (exempt === undefined) === (expected === undefined) && deepEqual(rest, others);
}

function unwanted(objects: ObjectRegistry, wanted: DefaultObjects): readonly string[] {
  const names = new Set(wanted.map(nameOf));
  const entries = objects.cache.slice(objects.cache.prefix).filter(({ corrupt }) => !corrupt);
  const found = entries.map((entry) => decodeObject(entry.value));
  return found.filter((object) => !names.has(nameOf(object)) && annotations(object)[autoUpdate] === 'true').map(nameOf);
}

async function remove(objects: ObjectRegistry, name: string, context: WriteContext): Promise<void> {
  try {
    await deleteObject(objects, name, {}, context);
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}

function nameOf(object: JsonObject): string {
  return (object.metadata as JsonObject).name as string;
}

function annotations(object: JsonObject): JsonObject {
  return ((object.metadata as JsonObject).annotations ?? {}) as JsonObject;
}
