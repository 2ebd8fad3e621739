import {
  ConversionFailed,
  type JsonObject,
  metadataOf,
  StatusError,
  stringifyJson,
  type Versions,
  withoutKey,
} from '@tsukube/machinery';
import { throwIfCancelled, type WriteContext } from './write-context.ts';

/** Converts objects by a webhook, in the same order. Rejects with a StatusError. */
export type ConvertByWebhook = (objects: readonly JsonObject[], apiVersion: string) => Promise<readonly JsonObject[]>;

/** Thrown by the synchronous computation of ownership when it needs a conversion that the webhook has not made yet. */
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

/** The webhook's conversions during one write, by content and version. Objects are converted without managedFields. */
export class WebhookConversions {
  readonly #answers = new Map<string, JsonObject | ConversionFailed>();
  /** One computation converts the same object several times. */
  readonly #texts = new WeakMap<JsonObject, string>();

  /** Throws ConversionNeeded if the webhook has not converted the object yet, and ConversionFailed if it failed. */
  get(object: JsonObject, apiVersion: string): JsonObject {
    const answer = this.#answers.size > 0 ? this.#answers.get(this.#key(object, apiVersion)) : undefined;
    if (answer === undefined) throw new ConversionNeeded(withoutManagedFields(object), apiVersion);
    if (answer instanceof ConversionFailed) throw answer;
    return answer;
  }

  async add(objects: readonly JsonObject[], apiVersion: string, convert: ConvertByWebhook): Promise<void> {
    const answers = await converted(objects, apiVersion, convert);
    for (const [i, object] of objects.entries())
      this.#answers.set(this.#key(object, apiVersion), answers[i] as JsonObject | ConversionFailed);
  }

  #key(object: JsonObject, apiVersion: string): string {
    const text = this.#texts.get(object) ?? stringifyJson(withoutManagedFields(object));
    this.#texts.set(object, text);
    return `${apiVersion}\0${text}`;
  }
}

/** Versions that convert only by the given conversions, through the hub, which is the version of the request. */
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
  /** Objects known before the computation. If one is needed in a version, all are converted in the same call. */
  readonly together: readonly JsonObject[];
  readonly context: WriteContext;
  /** The number of the resource's versions. Bounds the number of calls. */
  readonly versionCount: number;
}

/** Repeats the computation with each conversion it needs, until none is missing. */
export async function resumeConverting<T>(first: ConversionNeeded, resumption: Resumption<T>): Promise<T> {
  const { compute, convert, context, versionCount } = resumption;
  const together = resumption.together.map(withoutManagedFields);
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

/** An apply needs about five: the live, the merged, the pruned (both ways) and the new object. */
const maxCallsPerVersion = 8;

function batchOf({ object, apiVersion }: ConversionNeeded, together: readonly JsonObject[]): readonly JsonObject[] {
  const text = stringifyJson(object);
  if (!together.some((one) => stringifyJson(one) === text)) return [object];
  return together.filter((one) => one.apiVersion !== apiVersion && !isEmpty(one));
}

/** A failed batch is repeated one by one, since Kubernetes reports which object could not be converted. */
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

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  return metadata.managedFields === undefined ? object : { ...object, metadata: withoutKey(metadata, 'managedFields') };
}

/** The empty object before a create. Kubernetes does not convert it by the webhook. */
function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).every((key) => key === 'apiVersion' || key === 'kind' || isEmptyMetadata(key, object));
}

function isEmptyMetadata(key: string, object: JsonObject): boolean {
  return key === 'metadata' && Object.keys(metadataOf(object)).length === 0;
}
