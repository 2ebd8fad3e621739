import { randomUUID } from 'node:crypto';
import { type ServiceResolver, WebhookFailed, webhookClient } from '@tsukube/apiserver';
import { isObject, type JsonObject, StatusError, stringifyJson } from '@tsukube/machinery';
import type { WebhookConversion } from '../definition/definition.ts';
import { convertedObject, convertedObjects, undecodable } from './conversion-response.ts';
import { type VersionConverter, versionOf } from './converter.ts';

const timeoutMs = 30_000;
/** Objects per call of the webhook. */
const maxObjects = 500;
const supportedReviewVersions = ['v1', 'v1beta1'];

/** Converts by webhook and validates the response. */
export function webhookConverter(group: string, conversion: WebhookConversion, resolve: ServiceResolver): VersionConverter {
  const client = webhookClient(conversion.clientConfig, resolve);
  const reviewVersion = conversion.reviewVersions.find((version) => supportedReviewVersions.includes(version));

  const convertSome = async (objects: readonly JsonObject[], version: string): Promise<readonly JsonObject[]> => {
    if (reviewVersion === undefined) throw failure('no supported conversion review versions');
    const [desired, uid] = [`${group}/${version}`, randomUUID()];
    const about = `conversion webhook for ${kindText(objects[0] ?? {})}`;
    const answer = await client
      .call({ body: review(objects, desired, uid, reviewVersion), timeoutMs })
      .catch((error: unknown) => {
        throw error instanceof WebhookFailed ? failure(`${about} failed: ${error.message}`, error) : error;
      });
    const converted = convertedObjects(answer, reviewVersion, uid);
    if (typeof converted === 'string') throw failure(`${about} failed: ${converted}`);
    if (converted.length !== objects.length)
      throw failure(`${about} returned ${converted.length} objects, expected ${objects.length}`);
    return objects.map((object, i) => {
      const found = converted[i];
      if (!isObject(found)) throw failure(undecodable(found));
      const checked = convertedObject(object, found, desired, i);
      if (typeof checked === 'string') throw failure(`${about} returned ${checked}`);
      return checked;
    });
  };

  return {
    async convert(objects, version) {
      const others = objects.filter((object) => versionOf(object) !== version);
      const converted = new Map<JsonObject, JsonObject>();
      for (let i = 0; i < others.length; i += maxObjects) {
        const some = others.slice(i, i + maxObjects);
        const results = await convertSome(some, version);
        for (const [j, object] of some.entries()) converted.set(object, results[j] ?? object);
      }
      return objects.map((object) => converted.get(object) ?? object);
    },
    close: () => client.close(),
  };
}

function review(objects: readonly JsonObject[], desiredAPIVersion: string, uid: string, version: string): string {
  return stringifyJson({
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion, objects: [...objects] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  });
}

function kindText({ apiVersion, kind }: JsonObject): string {
  return `${apiVersion}, Kind=${kind}`;
}

/** A 500 without a reason, as in Kubernetes. */
function failure(message: string, cause?: unknown): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 }, { cause });
}
