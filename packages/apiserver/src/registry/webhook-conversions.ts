import { ConversionFailed, type JsonObject, StatusError, stringifyJson, type Versions, withoutKey } from '@tsukube/machinery';
import { throwIfCancelled, type WriteContext } from './write-context.ts';

/** Asks a webhook for objects in another version. Gives them in the same order; fails with a StatusError. */
export type ConvertByWebhook = (objects: readonly JsonObject[], apiVersion: string) => Promise<readonly JsonObject[]>;

/** Ownership is computed synchronously and stops with this at a conversion that the webhook was not asked for yet. */
export class ConversionNeeded extends Error {
  override readonly name = 'ConversionNeeded';
  readonly object: JsonObject;
  readonly apiVersion: string;

  constructor(object: JsonObject, apiVersion: string) {
    super(`conversion to ${apiVersion} needed`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** Answers of a webhook during one write, by content and version. Objects are converted without managedFields. */
export class WebhookConversions {
  readonly #answers = new Map<string, JsonObject | ConversionFailed>();
  /** The same object is asked for several times in one computation. */
  readonly #texts = new WeakMap<JsonObject, string>();

  /** Throws ConversionNeeded before the webhook was asked, and ConversionFailed if it refused. */
  get(object: JsonObject, apiVersion: string): JsonObject {
    const answer = this.#answers.size > 0 ? this.#answers.get(this.#key(object, apiVersion)) : undefined;
    if (answer === undefined) throw new ConversionNeeded(withoutRecord(object), apiVersion);
    if (answer instanceof ConversionFailed) throw answer;
    return answer;
  }

  async add(objects: readonly JsonObject[], apiVersion: string, convert: ConvertByWebhook): Promise<void> {
    const answers = await converted(objects, apiVersion, convert);
    for (const [i, object] of objects.entries())
      this.#answers.set(this.#key(object, apiVersion), answers[i] as JsonObject | ConversionFailed);
  }

  #key(object: JsonObject, apiVersion: string): string {
    const text = this.#texts.get(object) ?? stringifyJson(withoutRecord(object));
    this.#texts.set(object, text);
    return `${apiVersion}\0${text}`;
  }
}

/** Versions between which only the given conversions are known. They lead through the version of the request, the hub. */
export function webhookVersions(versions: Versions, hub: string, conversions = new WebhookConversions()): Versions {
  const step = (object: JsonObject, apiVersion: string): JsonObject => {
    if (object.apiVersion === apiVersion) return object;
    return isEmpty(object) ? { ...object, apiVersion } : conversions.get(object, apiVersion);
  };
  return {
    ...versions,
    convert(object, apiVersion) {
      if (object.apiVersion === apiVersion) return object;
      const inHub = step(object, hub);
      return versions.knows(apiVersion) ? step(inHub, apiVersion) : undefined;
    },
  };
}

export interface Resumption<T> {
  readonly compute: (conversions: WebhookConversions) => T;
  readonly convert: ConvertByWebhook;
  /** Objects that are known before the computation. If one is needed in a version, all are converted in the same call. */
  readonly together: readonly JsonObject[];
  readonly context: WriteContext;
  /** Of the resource. Bounds the number of calls. */
  readonly versionCount: number;
}

/** Computes again with every conversion that turns out to be needed, until none is missing. */
export async function resumeConverting<T>(first: ConversionNeeded, resumption: Resumption<T>): Promise<T> {
  const { compute, convert, context, versionCount } = resumption;
  const together = resumption.together.map(withoutRecord);
  const conversions = new WebhookConversions();
  let needed = first;
  for (let calls = 0; calls < maxCallsPerVersion * (versionCount + 1); calls++) {
    throwIfCancelled(context);
    await conversions.add(batchOf(needed, together), needed.apiVersion, convert);
    try {
      return compute(conversions);
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      needed = error;
    }
  }
  throw StatusError.internalError('too many conversions are needed to track field ownership');
}

/** An apply needs about five: of the live, the merged, the pruned (back and forth) and the new object. */
const maxCallsPerVersion = 8;

function batchOf({ object, apiVersion }: ConversionNeeded, together: readonly JsonObject[]): readonly JsonObject[] {
  const text = stringifyJson(object);
  if (!together.some((one) => stringifyJson(one) === text)) return [object];
  return together.filter((one) => one.apiVersion !== apiVersion && !isEmpty(one));
}

/** A batch that fails is repeated one by one: Kubernetes reports which of the objects could not be converted. */
async function converted(
  objects: readonly JsonObject[],
  apiVersion: string,
  convert: ConvertByWebhook,
): Promise<readonly (JsonObject | ConversionFailed)[]> {
  try {
    return await convert(objects, apiVersion);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (objects.length === 1) return [new ConversionFailed(error.message, { cause: error })];
    const answers = await Promise.all(objects.map((object) => converted([object], apiVersion, convert)));
    return answers.flat();
  }
}

function withoutRecord(object: JsonObject): JsonObject {
  const metadata = object.metadata as JsonObject;
  return metadata.managedFields === undefined ? object : { ...object, metadata: withoutKey(metadata, 'managedFields') };
}

/** The object before a creation. Kubernetes does not ask a webhook to convert it. */
function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).every((key) => key === 'apiVersion' || key === 'kind' || isEmptyMetadata(key, object));
}

function isEmptyMetadata(key: string, object: JsonObject): boolean {
  return key === 'metadata' && Object.keys(object.metadata as JsonObject).length === 0;
}
