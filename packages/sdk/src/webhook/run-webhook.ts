import type { AdmissionOperation } from '@tsukube/apiserver';
import {
  deepCopy,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonDiff,
  objectIn,
  StatusError,
  setKey,
  stringifyJson,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import type { AdmissionReview } from './admission-review.ts';
import { plainJson } from './plain-json.ts';
import type { AdmissionWebhook } from './webhook.ts';
import type { RequestUser, WebhookRequest } from './webhook-request.ts';

/** Ends a handler that called `allow` or `deny`. */
class Decision extends Error {
  override readonly name = 'Decision';
}

interface Verdict {
  decision: 'none' | 'allow' | 'deny';
  status: JsonObject;
  readonly warnings: string[];
  readonly auditAnnotations: JsonObject;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Errors of handlers; the client sees only that there was one. */
  readonly onError: (error: unknown) => void;
}

/**
 * Calls the handler and returns the response of the AdmissionReview. An error of the handler denies the request with status 500,
 * an aborted signal with 504. Never rejects.
 */
export async function runWebhook(webhook: AdmissionWebhook, review: AdmissionReview, options: RunOptions): Promise<JsonObject> {
  const verdict: Verdict = { decision: 'none', status: {}, warnings: [], auditAnnotations: {} };
  try {
    const patch = await handle(webhook, review.request, verdict, options.signal);
    if (verdict.decision === 'deny') return denied(verdict);
    return { allowed: true, ...patchFields(verdict.decision === 'allow' ? [] : patch), ...extras(verdict) };
  } catch (error) {
    if (verdict.decision === 'deny') return denied(verdict);
    if (error instanceof Decision) return { allowed: true, ...extras(verdict) };
    options.onError(error);
    verdict.status = options.signal.aborted
      ? statusOf('the webhook did not answer in time', 504)
      : statusOf('the webhook failed; its log has the reason', 500);
    return denied(verdict);
  }
}

async function handle(webhook: AdmissionWebhook, sent: JsonObject, verdict: Verdict, signal: AbortSignal): Promise<JsonValue[]> {
  const request = requestOf(sent, verdict, signal);
  const returned = await Promise.race([webhook.handle(request), rejectionOf(signal)]);
  const before = objectIn(sent, 'object');
  if (webhook.type === 'validating' || before === undefined) return [];
  const changed = plainJson(returned === undefined ? request.object : returned);
  if (!isObject(changed)) throw new TypeError('a handler returns an object or nothing');
  return jsonDiff(before, changed) as JsonValue[];
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The handler gets copies, so that its changes can be compared with the originals. */
function requestOf(sent: JsonObject, verdict: Verdict, signal: AbortSignal): WebhookRequest<unknown> {
  const copyOf = (field: string) => deepCopy(objectIn(sent, field) ?? null) ?? undefined;
  return {
    uid: textIn(sent, 'uid'),
    operation: textIn(sent, 'operation') as AdmissionOperation,
    name: textIn(sent, 'name'),
    namespace: textIn(sent, 'namespace'),
    kind: namesIn(sent, 'kind', ['group', 'version', 'kind']),
    resource: namesIn(sent, 'resource', ['group', 'version', 'resource']),
    subresource: textIn(sent, 'subResource'),
    object: copyOf('object'),
    oldObject: copyOf('oldObject'),
    options: objectIn(sent, 'options'),
    dryRun: sent.dryRun === true,
    userInfo: userOf(objectIn(sent, 'userInfo')),
    signal,
    ...decisions(verdict),
  };
}

function decisions(verdict: Verdict): Pick<WebhookRequest<unknown>, 'allow' | 'deny' | 'warn' | 'auditAnnotation'> {
  return {
    allow() {
      if (verdict.decision === 'none') verdict.decision = 'allow';
      throw new Decision('allowed');
    },
    deny(message, code = 403) {
      verdict.decision = 'deny';
      verdict.status = statusOf(message, code);
      throw new Decision(message);
    },
    warn: (message) => void verdict.warnings.push(message),
    auditAnnotation: (key, value) => setKey(verdict.auditAnnotations, key, value),
  };
}

function namesIn<Names extends string>(owner: JsonObject, field: string, names: readonly Names[]): Record<Names, string> {
  const object = objectIn(owner, field);
  return Object.fromEntries(names.map((name) => [name, textIn(object, name)])) as Record<Names, string>;
}

function userOf(info: JsonObject | undefined): RequestUser {
  const extra = (objectIn(info, 'extra') ?? {}) as Record<string, string[]>;
  return { username: textIn(info, 'username'), uid: textIn(info, 'uid'), groups: textsIn(info, 'groups'), extra };
}

function statusOf(message: string, code: number): JsonObject {
  const { reason } = StatusError.generic(code);
  return { status: 'Failure', message, code, ...(reason !== undefined && { reason }) };
}

function denied(verdict: Verdict): JsonObject {
  return { allowed: false, status: verdict.status, ...extras(verdict) };
}

function extras({ warnings, auditAnnotations }: Verdict): JsonObject {
  return {
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(auditAnnotations).length > 0 && { auditAnnotations }),
  };
}

function patchFields(patch: JsonValue[]): JsonObject {
  if (patch.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(stringifyJson(patch)).toString('base64') };
}
