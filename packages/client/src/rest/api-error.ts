import type { Status, StatusCause, StatusReason } from '@tsukube/machinery';

/** The API server refused a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  /** The HTTP status. */
  readonly code: number;

  constructor(status: Status, code: number) {
    super(status.message || `status ${code}`);
    this.status = status;
    this.code = code;
  }

  get reason(): StatusReason | undefined {
    return this.status.reason;
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }
}

/** An error for a response with this body. Proxies answer with something else than a Status. */
export function apiErrorOf(code: number, body: string): ApiError {
  const status = parseStatus(body);
  if (status !== undefined) return new ApiError(status, code);
  const message = body.trim().slice(0, 1000) || `status ${code}`;
  return new ApiError({ status: 'Failure', message, code }, code);
}

function parseStatus(body: string): Status | undefined {
  try {
    const value = JSON.parse(body) as (Status & { readonly kind?: string }) | null;
    return value?.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError;
}

const has = (error: unknown, code: number, ...reasons: string[]): error is ApiError =>
  error instanceof ApiError && (error.reason === undefined ? error.code === code : reasons.includes(error.reason));

export const isNotFound = (error: unknown): error is ApiError => has(error, 404, 'NotFound');
export const isAlreadyExists = (error: unknown): error is ApiError => has(error, Number.NaN, 'AlreadyExists');
/** An update of an object that was changed since it was read, or an apply of fields that belong to others. */
export const isConflict = (error: unknown): error is ApiError => has(error, 409, 'Conflict');
export const isInvalid = (error: unknown): error is ApiError => has(error, 422, 'Invalid');
export const isForbidden = (error: unknown): error is ApiError => has(error, 403, 'Forbidden');
export const isUnauthorized = (error: unknown): error is ApiError => has(error, 401, 'Unauthorized');
export const isTooManyRequests = (error: unknown): error is ApiError => has(error, 429, 'TooManyRequests');
/** The resourceVersion or continue token is too old. */
export const isExpired = (error: unknown): error is ApiError => has(error, 410, 'Expired', 'Gone');

/** The server has not reached the resourceVersion of the request: it was restored from a backup, or lags behind. */
export function isResourceVersionTooLarge(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return (
    error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ||
    error.message.includes('Too large resource version')
  );
}
