import type { Status } from '@tsukube/machinery';
import type { Answer, AnswerHeaders, BytesAnswer, Exchange } from '@tsukube/transport';
import { auditedObject, auditedPatch } from '../audit/request-object.ts';
import { type ApiRequest, type AuditNotes, IncomingRequest, type NotedRequest, type NoteRule } from '../http/api-request.ts';
import { outcomeOf, type StatusAnswer } from '../http/respond.ts';
import type { AdmissionAttributes, AdmissionType } from '../registry/admission.ts';
import { type ErrorMessage, ownedBytes } from './thread-calls.ts';

/** A request that has been authenticated and authorized, with its whole body, as it is sent to a worker. */
export interface RequestMessage extends Pick<ApiRequest, 'received' | 'info' | 'user' | 'impersonation'> {
  readonly method: string;
  readonly url: string;
  readonly protocol: Exchange['protocol'];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly remoteAddress: string;
  readonly body: Uint8Array;
  /** There if the request is audited. */
  readonly notes: NoteRule | undefined;
}

/** How long admission took: of a plugin, or of a whole step if there is no name. */
export interface AdmissionSample {
  readonly plugin: string | undefined;
  readonly type: AdmissionType;
  readonly operation: AdmissionAttributes['operation'];
  readonly milliseconds: number;
  readonly rejected: boolean;
}

/** What a worker has made of a request, and what it has to tell besides. */
export interface JobResult {
  readonly outcome: { readonly answer: AnswerMessage } | { readonly error: ErrorMessage };
  readonly warnings: readonly string[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
  readonly noted: readonly NotedRequest[];
  readonly admissions: readonly AdmissionSample[];
}

export interface AnswerMessage {
  readonly status: number;
  readonly type: string;
  readonly headers: AnswerHeaders | undefined;
  readonly outcome: Status | undefined;
  readonly body: Uint8Array;
}

export function requestMessage(request: ApiRequest, body: Uint8Array): RequestMessage {
  const { exchange, received, info, user, impersonation, notes } = request;
  const headers: [string, string][] = [];
  exchange.eachHeader((name, value) => headers.push([name, value]));
  const rule = notes && { level: notes.rule.level, omitManagedFields: notes.rule.omitManagedFields };
  const { method, url, protocol, connection } = exchange;
  const { remoteAddress } = connection;
  const about = { received, info, user, impersonation };
  return { ...about, method, url, protocol, headers, remoteAddress, body: ownedBytes(body), notes: rule };
}

/** Tells a request what the worker had to say of it besides the answer. */
export function applyResult({ warnings, annotations, noted }: JobResult, request: ApiRequest): void {
  for (const text of warnings) request.warn(text);
  for (const [key, value] of annotations) request.annotate(key, value);
  for (const each of noted) request.notes?.adopt(each);
}

export function answerOf({ status, type, headers, outcome, body }: AnswerMessage): BytesAnswer & Partial<StatusAnswer> {
  return { kind: 'bytes', status, type, body, ...(headers && { headers }), ...(outcome && { outcome }) };
}

/** The request in the worker, and what it is told there. */
export interface ReceivedRequest {
  readonly request: IncomingRequest;
  readonly told: Pick<JobResult, 'annotations' | 'noted'>;
}

export function receivedRequest(message: RequestMessage): ReceivedRequest {
  const [annotations, noted]: [[string, string][], NotedRequest[]] = [[], []];
  const { received, info, user, impersonation, notes } = message;
  const request = new IncomingRequest(exchangeOf(message), received);
  Object.assign(request, { info, user, impersonation });
  request.annotate = (key, value) => void annotations.push([key, value]);
  if (notes) request.notes = notesFor(notes, noted);
  return { request, told: { annotations, noted } };
}

function notesFor(rule: NoteRule, noted: NotedRequest[]): AuditNotes {
  return {
    rule,
    adopt: (each) => void noted.push(each),
    requestObject: (object, schema) => void noted.push(auditedObject(object, schema, rule)),
    requestPatch: (patch) => void noted.push(auditedPatch(patch, rule)),
  };
}

/** Of a connection that another thread has. */
function exchangeOf({ method, url, protocol, headers, remoteAddress, body }: RequestMessage): Exchange {
  const first = new Map([...headers].reverse());
  return {
    method,
    url,
    protocol,
    header: (name) => first.get(name),
    eachHeader(visit) {
      for (const [name, value] of headers) visit(name, value);
    },
    redact() {},
    connection: { remoteAddress, clientCertificates: () => [], hasTrustedCertificate: false, isUrgent: false, goAway() {} },
    body: async () => Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    upgrade: false,
    onClose() {},
    abort() {},
  };
}

/** Only whole answers leave a worker: watches and connections are not served there. */
export function answerMessage(answer: Answer): AnswerMessage {
  if (answer.kind !== 'bytes') throw new Error(`a worker cannot answer with ${answer.kind}`);
  const { status, type, headers } = answer;
  const outcome = outcomeOf(answer);
  return { status, type, headers, outcome: isSmall(outcome) ? outcome : undefined, body: wholeBody(answer.body) };
}

const manyCauses = 100;

/** Cloning a Status takes longer than sending its bytes. Whoever wants to know what a large one says reads it. */
function isSmall(status: Status | undefined): boolean {
  return (status?.details?.causes?.length ?? 0) < manyCauses;
}

function wholeBody(body: BytesAnswer['body']): Uint8Array {
  if (typeof body === 'string') return ownedBytes(Buffer.from(body));
  if (body instanceof Uint8Array) return ownedBytes(body);
  if (Symbol.iterator in body) return ownedBytes(Buffer.concat([...body]));
  throw new Error('a worker cannot answer with a stream');
}
