import { StatusError, statusBody, stringifyJson } from '@tsukube/machinery';
import { Unavailable } from '@tsukube/storage';
import { type Answer, type BytesAnswer, ClientGone, type StreamAnswer } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { isLongRunning } from '../http/request-info.ts';
import { answerText, statusOfAnswer } from '../http/respond.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import { AuditRecord } from './audit-record.ts';
import { type AuditPolicy, type AuditStage, ruleFor } from './policy.ts';
import { observedBody, type ResponseObject, responseObjectOf, statusObjectOf } from './response-object.ts';
import type { AuditSink } from './sink.ts';

export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly sink: AuditSink;
  readonly metrics: AuditMetrics;
  /** Microseconds since the epoch. */
  readonly now?: () => number;
}

const slowMs = 500;

type Handler = (request: IncomingRequest) => Answer | Promise<Answer>;

/** Emits the audit events of requests, stage by stage. */
export class AuditTrail {
  readonly #options: AuditOptions;
  readonly #now: () => number;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => (performance.timeOrigin + performance.now()) * 1000);
  }

  begin(request: IncomingRequest): AuditRecord | undefined {
    const { policy, metrics } = this.#options;
    const rule = ruleFor(policy, request, request.user);
    metrics.levels[rule?.level ?? 'None']().increase();
    if (!rule) {
      request.annotations = undefined;
      return undefined;
    }
    const record = new AuditRecord(request, rule, request.user);
    request.annotations ??= new Map();
    request.notes = record;
    return record;
  }

  failedAuthentication(request: IncomingRequest, error: StatusError): void {
    const { policy, metrics } = this.#options;
    const rule = ruleFor(policy, request, undefined);
    metrics.levels[rule?.level ?? 'None']().increase();
    if (!rule) return;
    const record = new AuditRecord(request, rule, undefined);
    noteError(record, error);
    void this.reach(record, 'ResponseStarted');
  }

  reach(record: AuditRecord, stage: AuditStage): boolean | Promise<boolean> {
    if (record.rule.omitStages.includes(stage)) return true;
    const { sink, metrics } = this.#options;
    metrics.events.increase();
    return sink.process([record.eventAt(stage, this.#now())]);
  }

  refuse(request: IncomingRequest): Answer {
    this.#options.metrics.rejected.increase();
    return answerText(500, `Internal Server Error: ${JSON.stringify(request.exchange.url)}: failed to store audit event\n`, {
      'x-content-type-options': 'nosniff',
    });
  }

  follow(record: AuditRecord, request: IncomingRequest, next: Handler): Answer | Promise<Answer> {
    let answer: Answer | Promise<Answer>;
    try {
      answer = next(request);
    } catch (error) {
      return this.#failed(record, request, error);
    }
    if (!(answer instanceof Promise)) return this.#answered(record, request, answer);
    return answer.then(
      (done) => this.#answered(record, request, done),
      (error) => this.#failed(record, request, error),
    );
  }

  #failed(record: AuditRecord, request: IncomingRequest, error: unknown): Promise<never> | never {
    const isForeseen = noteError(record, error);
    const stored = isForeseen ? this.#complete(record, request) : this.reach(record, 'Panic');
    if (!(stored instanceof Promise)) throw error;
    return stored.then(() => {
      throw error;
    });
  }

  #answered(record: AuditRecord, request: IncomingRequest, answer: Answer): Answer | Promise<Answer> {
    noteCode(record, answer.status);
    if (answer.kind === 'stream') return this.#streaming(record, request, answer);
    if (answer.kind === 'taken-over') {
      void this.reach(record, 'ResponseStarted');
      request.exchange.onClose(() => void this.#end(record, request));
      return answer;
    }
    const { body } = answer;
    if (typeof body === 'string' || body instanceof Uint8Array) return this.#whole(record, request, answer, body);
    return this.#inPieces(record, request, answer);
  }

  #whole(
    record: AuditRecord,
    request: IncomingRequest,
    answer: BytesAnswer,
    body: string | Uint8Array,
  ): Answer | Promise<Answer> {
    const noted = this.#noteBody(record, request, answer, body);
    if (noted instanceof Promise) return noted.then(() => this.#complete(record, request)).then(() => answer);
    const stored = this.#complete(record, request);
    return stored instanceof Promise ? stored.then(() => answer) : answer;
  }

  /** A streamed list is complete when the client has read it. The body is buffered only if the event contains it. */
  #inPieces(record: AuditRecord, request: IncomingRequest, answer: BytesAnswer): Answer {
    if (isLongRunning(request.info)) void this.reach(record, 'ResponseStarted');
    const body = observedBody(answer.body as Exclude<BytesAnswer['body'], string | Uint8Array>, record.tellsResponse, (whole) => {
      const noted = whole && this.#noteBody(record, request, answer, whole);
      if (noted instanceof Promise) void noted.then(() => this.#end(record, request));
      else void this.#end(record, request);
    });
    return { ...answer, body };
  }

  #streaming(record: AuditRecord, request: IncomingRequest, answer: StreamAnswer): Answer | Promise<Answer> {
    const started = this.reach(record, 'ResponseStarted');
    request.exchange.onClose(() => void this.#end(record, request));
    return started instanceof Promise ? started.then(() => answer) : answer;
  }

  #noteBody(record: AuditRecord, request: IncomingRequest, answer: BytesAnswer, body: string | Uint8Array): void | Promise<void> {
    const { status, type } = answer;
    const bytes = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const wanted = { object: record.tellsResponse, omitManagedFields: record.rule.omitManagedFields };
    const note = ({ json, status: told }: ResponseObject) => {
      record.responseObject = json;
      if (told) record.responseStatus = { ...told, code: status };
      else noteCode(record, status);
    };
    const outcome = statusOfAnswer(answer);
    const found = outcome ? statusObjectOf(outcome, wanted) : responseObjectOf(bytes, type, request, wanted);
    if (found instanceof Promise) return found.then(note);
    note(found);
  }

  #complete(record: AuditRecord, request: IncomingRequest): boolean | Promise<boolean> {
    if (!isLongRunning(request.info)) return this.#end(record, request);
    const started = this.reach(record, 'ResponseStarted');
    return started instanceof Promise ? started.then(() => this.#end(record, request)) : this.#end(record, request);
  }

  #end(record: AuditRecord, request: IncomingRequest): boolean | Promise<boolean> {
    const took = this.#now() / 1000 - request.received;
    if (took > slowMs && !isLongRunning(request.info)) request.annotate('apiserver.latency.k8s.io/total', durationText(took));
    return this.reach(record, 'ResponseComplete');
  }
}

/** Returns whether the error is an expected one, answered with a Status. */
function noteError(record: AuditRecord, error: unknown): boolean {
  if (error instanceof StatusError) {
    record.responseStatus = error.status;
    if (record.tellsResponse) record.responseObject = stringifyJson(statusBody(error.status));
    return true;
  }
  if (error instanceof ClientGone) {
    record.responseStatus = { status: 'Success', message: 'Connection closed early', code: 200 };
    return true;
  }
  const message = error instanceof Unavailable ? 'the store is not available' : "APIServer panic'd: see the log of the server";
  record.responseStatus = { status: 'Failure', reason: 'InternalError', message, code: 500 };
  return error instanceof Unavailable;
}

/** Without a Status, responseStatus has only the code. */
function noteCode(record: AuditRecord, code: number): void {
  record.responseStatus = { code };
}

/** Formats a duration like Go: 612.5ms, 1.5s, 1m2s. */
function durationText(ms: number): string {
  if (ms < 1000) return `${Number(ms.toFixed(6))}ms`;
  const seconds = Number(((ms % 60_000) / 1000).toFixed(9));
  const minutes = Math.floor(ms / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${rest}m` : ''}${seconds}s`;
}
