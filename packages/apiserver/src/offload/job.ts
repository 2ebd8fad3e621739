import type { Status } from '@tsukube/machinery';
import type { Answer, AnswerHeaders, BytesAnswer, Exchange } from '@tsukube/transport';
import { auditedObject, auditedPatch } from '../audit/request-object.ts';
import { type ApiRequest, type AuditNotes, IncomingRequest, type NotedRequest, type NoteRule } from '../http/api-request.ts';
import { type StatusAnswer, statusOfAnswer } from '../http/respond.ts';
import type { AdmissionOperation, AdmissionType } from '../registry/admission.ts';
import { type ErrorMessage, ownedBytes } from './thread-calls.ts';

/** An authenticated and authorized request with its body, as sent to a worker. */
export interface RequestMessage extends Pick<ApiRequest, 'received' | 'info' | 'user' | 'impersonation'> {
  readonly method: string;
  readonly url: string;
  readonly protocol: Exchange['protocol'];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly remoteAddress: string;
  readonly body: Uint8Array;
  /** Set if the request is audited. */
  readonly notes: NoteRule | undefined;
}

/** A value of a metric that an admission plugin defines. */
export interface MetricSample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The duration of an admission plugin, or of a whole phase if `plugin` is undefined. */
export interface DurationSample {
  readonly plugin: string | undefined;
  readonly type: AdmissionType;
  readonly operation: AdmissionOperation;
  readonly milliseconds: number;
  readonly rejected: boolean;
}

export type AdmissionSample = DurationSample | MetricSample;

/** The outcome of a request in a worker, with its warnings, audit annotations and notes. */
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

/** Copies warnings, annotations and notes of the worker to the request. */
export function applyResult({ warnings, annotations, noted }: JobResult, request: ApiRequest): void {
  for (const text of warnings) request.warn(text);
  for (const [key, value] of annotations) request.annotate(key, value);
  for (const each of noted) request.notes?.adopt(each);
}

export function answerOf({ status, type, headers, outcome, body }: AnswerMessage): BytesAnswer & Partial<StatusAnswer> {
  return { kind: 'bytes', status, type, body, ...(headers && { headers }), ...(outcome && { outcome }) };
}

/** The request in the worker, with collectors for annotations and notes. */
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

/** An exchange whose connection belongs to the main thread. */
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
    bodyStream: () => undefined,
    connection: {
      remoteAddress,
      clientCertificates: () => [],
      hasTrustedCertificate: false,
      isUrgent: false,
      goAway() {},
      retire() {},
    },
    body: async () => Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    upgrade: false,
    onClose() {},
    abort() {},
  };
}

/** Workers return complete answers only; they serve no watches and no upgraded connections. */
export function answerMessage(answer: Answer): AnswerMessage {
  if (answer.kind !== 'bytes') throw new Error(`a worker cannot answer with ${answer.kind}`);
  const { status, type, headers } = answer;
  const outcome = statusOfAnswer(answer);
  return { status, type, headers, outcome: isSmall(outcome) ? outcome : undefined, body: wholeBody(answer.body) };
}

const manyCauses = 100;

/** Cloning a large Status takes longer than sending its bytes; readers parse it from the body. */
function isSmall(status: Status | undefined): boolean {
  return (status?.details?.causes?.length ?? 0) < manyCauses;
}

function wholeBody(body: BytesAnswer['body']): Uint8Array {
  if (typeof body === 'string') return ownedBytes(Buffer.from(body));
  if (body instanceof Uint8Array) return ownedBytes(body);
  if (Symbol.iterator in body) return ownedBytes(Buffer.concat([...body]));
  throw new Error('a worker cannot answer with a stream');
}
