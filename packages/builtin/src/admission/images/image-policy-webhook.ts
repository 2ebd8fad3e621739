import { type AdmissionAttributes, type AdmissionPlugin, forbiddenByAdmission } from '@tsukube/apiserver';
import {
  BoundedCache,
  canonicalJson,
  goQuote,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  objectsIn,
  StatusError,
  textIn,
} from '@tsukube/machinery';
import { isPodRequest, type ReviewWebhook } from '../common/plugin.ts';
import { imagePolicyConfiguration } from './image-policy-configuration.ts';

const auditPrefix = 'imagepolicywebhook.image-policy.k8s.io/';
const apiVersion = 'imagepolicy.k8s.io/v1alpha1';
const maxReviews = 1024;

interface Review {
  readonly status: JsonObject;
  readonly expires: number;
}

/** ImagePolicyWebhook: asks a webhook whether the images of a pod may run. */
export function imagePolicyWebhook(
  configuration: JsonObject | undefined,
  openWebhook: (kubeConfigFile: string) => ReviewWebhook,
  now: () => number,
): AdmissionPlugin {
  const { kubeConfigFile, allowTtl, denyTtl, retryBackoff, defaultAllow } = imagePolicyConfiguration(configuration);
  const webhook = openWebhook(kubeConfigFile);
  const reviews = new BoundedCache<string, Review>({ entries: maxReviews });
  const review = async (spec: JsonObject): Promise<JsonObject> => {
    const key = canonicalJson(spec);
    const known = reviews.get(key);
    if (known && known.expires > now()) return known.status;
    const body = JSON.stringify({ kind: 'ImageReview', apiVersion, metadata: {}, spec, status: { allowed: false } });
    const status = statusOf(await webhook.post(body, retryBackoff));
    reviews.set(key, { status, expires: now() + (status.allowed === true ? allowTtl : denyTtl) });
    return status;
  };
  return {
    name: 'ImagePolicyWebhook',
    validate(attributes) {
      const { operation, object } = attributes;
      if (!object || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
      const lists = listsOf(attributes);
      if (lists) return admit(attributes, reviewSpec(attributes, object, lists), review, defaultAllow);
    },
  };
}

/** The containers to review; undefined for other requests. */
function listsOf(attributes: AdmissionAttributes): readonly string[] | undefined {
  if (isPodRequest(attributes)) return ['containers', 'initContainers'];
  return isPodRequest(attributes, 'ephemeralcontainers') ? ['ephemeralContainers'] : undefined;
}

/** The annotations of the pod are passed on if they are those of an image policy. */
function reviewSpec({ namespace }: AdmissionAttributes, pod: KubeObject, lists: readonly string[]): JsonObject {
  const containers = lists.flatMap((list) => objectsIn(objectIn(pod, 'spec'), list));
  const annotations = Object.entries(mapIn(pod.metadata, 'annotations')).filter(([key]) => key.includes('.image-policy.k8s.io/'));
  return {
    ...(containers.length > 0 && { containers: containers.map((container) => ({ image: textIn(container, 'image') })) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    ...(namespace !== '' && { namespace }),
  };
}

async function admit(
  attributes: AdmissionAttributes,
  spec: JsonObject,
  review: (spec: JsonObject) => Promise<JsonObject>,
  defaultAllow: boolean,
): Promise<void> {
  let status: JsonObject;
  try {
    status = await review(spec);
  } catch (error) {
    if (defaultAllow) return attributes.annotate(`${auditPrefix}failed-open`, 'true');
    throw error instanceof StatusError && error.reason === 'Forbidden'
      ? error
      : forbiddenByAdmission(attributes, (error as Error).message);
  }
  for (const [key, value] of Object.entries(mapIn(status, 'auditAnnotations'))) attributes.annotate(auditPrefix + key, value);
  if (status.allowed === true) return;
  const reason = textIn(status, 'reason');
  throw forbiddenByAdmission(
    attributes,
    reason === ''
      ? 'one or more images rejected by webhook backend'
      : `image policy webhook backend denied one or more images: ${reason}`,
  );
}

/** A response may omit its type. */
function statusOf(answer: JsonObject): JsonObject {
  const { kind = 'ImageReview', apiVersion: version = apiVersion } = answer;
  if (kind !== 'ImageReview' || version !== apiVersion)
    throw new Error(`no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(version))}`);
  return objectIn(answer, 'status') ?? {};
}
