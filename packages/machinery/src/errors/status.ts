import type { JsonObject } from '../json/value.ts';

/** metav1.Status, the response to a request without an object. */
export interface Status {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  /** The HTTP status code. */
  readonly code?: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource, or the kind of an invalid object. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export type StatusReason =
  | 'AlreadyExists'
  | 'BadRequest'
  | 'Conflict'
  | 'Expired'
  | 'Forbidden'
  | 'Gone'
  | 'InternalError'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NonZeroExitCode'
  | 'NotAcceptable'
  | 'NotFound'
  | 'RequestEntityTooLarge'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'StorageReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'Unauthorized'
  | 'UnsupportedMediaType';

/** The response body: fields in the order of the Go struct, empty ones omitted. */
export function statusBody(status: Status): JsonObject {
  const body: JsonObject = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: withoutEmpty({ ...status.metadata }),
    status: status.status,
  };
  if (status.message) body.message = status.message;
  if (status.reason) body.reason = status.reason;
  if (status.details) body.details = detailsBody(status.details);
  if (status.code) body.code = status.code;
  return body;
}

function detailsBody(details: StatusDetails): JsonObject {
  return withoutEmpty({
    name: details.name,
    group: details.group,
    kind: details.kind,
    uid: details.uid,
    causes: details.causes?.map(({ reason, message, field }) => withoutEmpty({ reason, message, field })),
    retryAfterSeconds: details.retryAfterSeconds,
  });
}

/** Only for fixed field names, never for keys from a client. */
function withoutEmpty(fields: Record<string, string | number | JsonObject[] | undefined>): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!value || (Array.isArray(value) && value.length === 0)) continue;
    kept[name] = value;
  }
  return kept;
}
