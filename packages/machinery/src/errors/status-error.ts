import { type GroupKind, type GroupResource, groupKindText, groupResourceText } from '../meta/group.ts';
import { goQuote } from '../text/go-quote.ts';
import type { FieldErrors } from './field-errors.ts';
import type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';

interface Because {
  readonly cause?: unknown;
}

/** An error whose response is a metav1.Status. The static functions are the errors of Kubernetes' API machinery. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status, because?: Because) {
    // Expected responses need no stack trace, and capturing one takes longer than many requests. A cause has its own.
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

  /** For a response with little more than a code (Go's NewGenericServerResponse). */
  static generic(code: number, serverMessage = '', subject?: RequestSubject): StatusError {
    return new StatusError(genericResponse(code, serverMessage, subject));
  }

  static badRequest(message: string, because?: Because): StatusError {
    return failure(400, 'BadRequest', message, undefined, because);
  }

  static unauthorized(message = 'Unauthorized'): StatusError {
    return failure(401, 'Unauthorized', message);
  }

  /** Without a resource for non-resource paths; without a name for a collection. */
  static forbidden(resource: GroupResource | undefined, name: string, reason: string): StatusError {
    const { group, resource: kind } = resource ?? nothing;
    const subject = kind === '' ? '' : `${named(resource ?? nothing, name)} is `;
    return failure(403, 'Forbidden', `${subject}forbidden: ${reason}`, { group, kind, name });
  }

  static notFound(resource: GroupResource, name: string): StatusError {
    return failure(404, 'NotFound', `${groupResourceText(resource)} ${goQuote(name)} not found`, about(resource, name));
  }

  /** No such path. */
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

  /** The object cannot be converted to the requested representation, such as PartialObjectMetadata. */
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

  /** The requested resourceVersion was compacted. */
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

  /** A transient failure; the client should retry. */
  static serverTimeout(resource: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
    const message = `The ${operation} operation against ${groupResourceText(resource)} could not be completed at this time, please try again.`;
    return failure(500, 'ServerTimeout', message, { ...about(resource, operation), retryAfterSeconds });
  }

  static serviceUnavailable(message: string, because?: Because): StatusError {
    return failure(503, 'ServiceUnavailable', message, undefined, because);
  }

  /** The request timed out; it may or may not have taken effect. */
  static timeout(message: string, retryAfterSeconds = 0): StatusError {
    return failure(504, 'Timeout', `Timeout: ${message}`, { retryAfterSeconds });
  }

  /** The requested resourceVersion is in the future. */
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

/** The subject of a request, for the message. */
export interface RequestSubject {
  readonly verb?: string;
  readonly resource?: GroupResource;
  readonly name?: string;
  readonly retryAfterSeconds?: number;
}

const known: Readonly<Record<number, { readonly reason: StatusReason; readonly message: string }>> = {
  400: { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' },
  401: { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' },
  404: { reason: 'NotFound', message: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' },
  406: { reason: 'NotAcceptable', message: 'the server was unable to respond with a content type that the client supports' },
  409: { reason: 'Conflict', message: 'the server reported a conflict' },
  422: { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
  429: { reason: 'TooManyRequests', message: 'the server has received too many requests and has asked us to try again later' },
  503: { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' },
  504: {
    reason: 'Timeout',
    message: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
};

/** The Status for a response code and an optional message. */
function genericResponse(code: number, serverMessage: string, subject: RequestSubject = {}): Status {
  const { reason, message } = explain(code, serverMessage, subject.verb ?? '');
  const { resource, name = '' } = subject;
  const details = {
    name,
    group: resource?.group,
    kind: resource?.resource,
    retryAfterSeconds: subject.retryAfterSeconds,
  };
  return { status: 'Failure', message: message + suffix(subject), reason, details, code };
}

function explain(code: number, serverMessage: string, verb: string): { reason?: StatusReason; message: string } {
  if (code === 403) return { reason: 'Forbidden', message: serverMessage };
  if (code === 415) return { reason: 'UnsupportedMediaType', message: serverMessage };
  if (code === 406 && serverMessage !== '' && serverMessage !== 'unknown')
    return { reason: 'NotAcceptable', message: serverMessage };
  if (code === 409 && verb === 'POST') return { reason: 'AlreadyExists', message: 'the server reported a conflict' };
  const entry = known[code];
  if (entry !== undefined) return entry;
  if (code < 500) return { message: `the server responded with the status code ${code} but did not return more information` };
  const message = `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`;
  return { reason: 'InternalError', message };
}

function suffix({ verb = '', resource, name = '' }: RequestSubject): string {
  if (resource === undefined || resource.resource === '') return '';
  const subject = `${verb.toLowerCase()} ${groupResourceText(resource)}`;
  return name === '' ? ` (${subject})` : ` (${subject} ${name})`;
}
