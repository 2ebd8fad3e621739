import { type GroupKind, type GroupResource, groupKindText, groupResourceText } from '../meta/group.ts';
import { goQuote } from '../text/go-quote.ts';
import type { FieldErrors } from './field-errors.ts';
import { genericResponse, type RequestSubject } from './generic-response.ts';
import type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';

interface Because {
  readonly cause?: unknown;
}

/** An error that is answered with a Status. All that Kubernetes itself can answer are made by the functions below. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status, because?: Because) {
    // Nobody reads where an expected answer came from, and finding out takes longer than many a request. A cause has its own trace.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(status.message, because);
    Error.stackTraceLimit = limit;
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): StatusReason | undefined {
    return this.status.reason;
  }

  /** For an answer of which little more than the code is known. */
  static generic(code: number, serverMessage = '', subject?: RequestSubject): StatusError {
    return new StatusError(genericResponse(code, serverMessage, subject));
  }

  static badRequest(message: string, because?: Because): StatusError {
    return failure(400, 'BadRequest', message, undefined, because);
  }

  static unauthorized(message = 'Unauthorized'): StatusError {
    return failure(401, 'Unauthorized', message);
  }

  /** Without a resource for paths that are none; without a name for a whole collection. */
  static forbidden(resource: GroupResource | undefined, name: string, reason: string): StatusError {
    const { group, resource: kind } = resource ?? nothing;
    const subject = kind === '' ? '' : `${named(resource ?? nothing, name)} is `;
    return failure(403, 'Forbidden', `${subject}forbidden: ${reason}`, { group, kind, name });
  }

  static notFound(resource: GroupResource, name: string): StatusError {
    return failure(404, 'NotFound', `${groupResourceText(resource)} ${goQuote(name)} not found`, about(resource, name));
  }

  /** There is nothing at this path at all. */
  static pathNotFound(): StatusError {
    return StatusError.generic(404);
  }

  static methodNotSupported(resource: GroupResource, verb: string): StatusError {
    const message = `${verb} is not supported on resources of kind ${goQuote(groupResourceText(resource))}`;
    return failure(405, 'MethodNotAllowed', message, about(resource));
  }

  static methodNotAllowed(): StatusError {
    return StatusError.generic(405);
  }

  static notAcceptable(acceptable: readonly string[]): StatusError {
    return failure(406, 'NotAcceptable', `only the following media types are accepted: ${acceptable.join(', ')}`);
  }

  /** The object has no such representation: there is no PartialObjectMetadata of a list. */
  static noRepresentation(message: string): StatusError {
    return failure(406, 'NotAcceptable', message);
  }

  static alreadyExists(resource: GroupResource, name: string): StatusError {
    return failure(409, 'AlreadyExists', `${groupResourceText(resource)} ${goQuote(name)} already exists`, about(resource, name));
  }

  static generateNameConflict(resource: GroupResource, name: string, retryAfterSeconds: number): StatusError {
    const message = `${groupResourceText(resource)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`;
    return failure(409, 'AlreadyExists', message, { ...about(resource, name), retryAfterSeconds });
  }

  static conflict(resource: GroupResource, name: string, reason: string, because?: Because): StatusError {
    const message = `Operation cannot be fulfilled on ${groupResourceText(resource)} ${goQuote(name)}: ${reason}`;
    return failure(409, 'Conflict', message, about(resource, name), because);
  }

  static applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
    return failure(409, 'Conflict', message, { causes });
  }

  static gone(message: string): StatusError {
    return failure(410, 'Gone', message);
  }

  /** The revision asked for has been compacted away. */
  static resourceExpired(message: string): StatusError {
    return failure(410, 'Expired', message);
  }

  static requestEntityTooLarge(message: string): StatusError {
    return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
  }

  static unsupportedMediaType(accepted: readonly string[]): StatusError {
    const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
    return failure(415, 'UnsupportedMediaType', message);
  }

  static invalid(kind: GroupKind, name: string, errors: FieldErrors): StatusError {
    const subject = `${groupKindText(kind)} ${goQuote(name)} is invalid`;
    const details = { group: kind.group, kind: kind.kind, name, causes: errors.causes() };
    return failure(422, 'Invalid', errors.length === 0 ? subject : `${subject}: ${errors}`, details);
  }

  static tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
    return failure(429, 'TooManyRequests', message, { retryAfterSeconds });
  }

  static internalError(message: string, because?: Because): StatusError {
    return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, because);
  }

  /** Failed for a reason that passes. */
  static serverTimeout(resource: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
    const message = `The ${operation} operation against ${groupResourceText(resource)} could not be completed at this time, please try again.`;
    return failure(500, 'ServerTimeout', message, { ...about(resource, operation), retryAfterSeconds });
  }

  static serviceUnavailable(message: string, because?: Because): StatusError {
    return failure(503, 'ServiceUnavailable', message, undefined, because);
  }

  /** Took too long; whether it took place is unknown. */
  static timeout(message: string, retryAfterSeconds = 0): StatusError {
    return failure(504, 'Timeout', `Timeout: ${message}`, { retryAfterSeconds });
  }

  /** The revision asked for has not been reached yet. */
  static tooLargeResourceVersion(asked: string | number, current: string | number, retryAfterSeconds = 1): StatusError {
    const message = `Too large resource version: ${asked}, current: ${current}`;
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    return failure(504, 'Timeout', `Timeout: ${message}`, { causes, retryAfterSeconds });
  }
}

const nothing: GroupResource = { group: '', resource: '' };

function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails, because?: Because): StatusError {
  return new StatusError({ status: 'Failure', message, reason, details, code }, because);
}

function about({ group, resource }: GroupResource, name?: string): StatusDetails {
  return { group, kind: resource, name };
}

function named(resource: GroupResource, name: string): string {
  return name === '' ? groupResourceText(resource) : `${groupResourceText(resource)} ${goQuote(name)}`;
}
