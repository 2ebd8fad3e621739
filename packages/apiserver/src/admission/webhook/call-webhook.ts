import { randomUUID } from 'node:crypto';
import { type JsonObject, type JsonValue, type Status, StatusError } from '@tsukube/machinery';
import { WebhookFailed } from '../../outbound/webhook-failure.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { VersionedAttributes } from '../versioned-attributes.ts';
import { decodeReview, type ReviewResult, type ReviewVersion, reviewRequest, reviewResult } from './admission-review.ts';
import type { CompiledWebhook } from './webhook.ts';

/** The webhook was not called, or its response cannot be used. The failure policy decides whether the request continues. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
  /** The HTTP status in metrics. */
  readonly code: number;

  constructor(webhook: CompiledWebhook, reason: string, code: number, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(webhook.name)}: ${reason}`, options);
    this.code = code;
  }
}

/** The webhook rejected the request. Its status is the response. */
export class WebhookRejection extends StatusError {}

/**
 * Calls a webhook and returns its response, after adding its warnings and audit annotations to the request. Throws
 * WebhookCallError or WebhookRejection, or another StatusError if the webhook must not be called.
 */
export async function callWebhook(
  webhook: CompiledWebhook,
  versioned: VersionedAttributes,
  isMutating: boolean,
): Promise<ReviewResult> {
  const { attributes } = versioned;
  if (attributes.dryRun) checkDryRun(webhook);
  const result = await exchange(webhook, versioned, isMutating);
  for (const [key, value] of Object.entries(result.auditAnnotations)) attributes.annotate(`${webhook.name}/${key}`, value);
  for (const warning of result.warnings) attributes.warn(warning);
  if (!result.allowed) throw new WebhookRejection(rejection(webhook, statusOf(result)));
  return result;
}

/** Decoding has checked the types of the fields. */
function statusOf({ result }: ReviewResult): Status {
  return { ...result, status: 'Failure' };
}

/** A dry run must not have side effects. */
function checkDryRun(webhook: CompiledWebhook): void {
  const { sideEffects, name } = webhook;
  if (sideEffects === undefined) throw new WebhookCallError(webhook, 'Webhook SideEffects is nil', 400);
  if (sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return;
  throw StatusError.badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}

async function exchange(webhook: CompiledWebhook, versioned: VersionedAttributes, isMutating: boolean): Promise<ReviewResult> {
  const { reviewVersion, client, timeoutMs } = webhook;
  if (!reviewVersion) {
    const reason = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new WebhookCallError(webhook, `could not create admission objects: ${reason}`, 400);
  }
  const uid = randomUUID();
  const body = reviewRequest(uid, reviewVersion, versioned);
  const signal = versioned.attributes.signal();
  const review = await called(webhook, () => client.call({ body, timeoutMs, signal }), reviewVersion);
  try {
    return reviewResult(review, uid, reviewVersion, isMutating);
  } catch (error) {
    throw new WebhookCallError(webhook, `received invalid webhook response: ${(error as Error).message}`, 503, { cause: error });
  }
}

async function called(webhook: CompiledWebhook, call: () => Promise<JsonValue>, version: ReviewVersion): Promise<JsonObject> {
  try {
    return decodeReview((await call()) as JsonObject, version);
  } catch (error) {
    const code = error instanceof WebhookFailed && error.status !== undefined ? error.status : 503;
    throw new WebhookCallError(webhook, `failed to call webhook: ${(error as Error).message}`, code, { cause: error });
  }
}

/** The webhook's status, with a code and message that say that the request was denied. */
function rejection({ name }: CompiledWebhook, status: Status): Status {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { message, reason, code = 0 } = status;
  const explanation = message || reason;
  return {
    ...status,
    status: 'Failure',
    message: explanation ? `${denied}: ${explanation}` : `${denied} without explanation`,
    code: code > maxCode ? 500 : Math.max(code, 400),
  };
}

/** HTTP has no larger codes. */
const maxCode = 999;

/** The response if a webhook cannot be called and its failure policy is Fail. */
export function failedClosed(error: WebhookCallError): StatusError {
  return StatusError.internalError(error.message, { cause: error });
}

/** No further webhook is called once the request is over. */
export function throwIfOver(attributes: AdmissionAttributes): void {
  if (attributes.signal().aborted) throw StatusError.timeout('request did not complete within requested timeout');
}
