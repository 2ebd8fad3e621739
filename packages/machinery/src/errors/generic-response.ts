import { type GroupResource, groupResourceText } from '../meta/group.ts';
import { goQuote } from '../text/go-quote.ts';
import type { Status, StatusReason } from './status.ts';

/** What the request was about, for the message. */
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

/** The Status for an answer of which only the code, and perhaps a text, is known. */
export function genericResponse(code: number, serverMessage: string, subject: RequestSubject = {}): Status {
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
