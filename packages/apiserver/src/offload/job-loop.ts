import { AsyncLocalStorage } from 'node:async_hooks';
import type { MessagePort } from 'node:worker_threads';
import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import type { Handler } from '../filters/filter.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import type { Output } from '../http/negotiation.ts';
import { answerBytes, answerError } from '../http/respond.ts';
import type { AdmissionObserver, MetricRecorder } from '../registry/admission.ts';
import type { Derivation } from '../registry/derived.ts';
import {
  type AdmissionSample,
  answerMessage,
  type DurationSample,
  type JobResult,
  type RequestMessage,
  receivedRequest,
} from './job.ts';
import { buffersIn, errorMessage } from './thread-calls.ts';

/** From the main thread to a worker. */
export type ToWorkerThread =
  | { readonly is: 'job'; readonly job: number; readonly work: Work }
  | { readonly is: 'cancelled'; readonly job: number };

/** A request, a derivation of an object, or a conversion of JSON to another format. */
export type Work =
  | { readonly is: 'derivation'; readonly derivation: DerivationMessage }
  | { readonly is: 'request'; readonly request: RequestMessage }
  | { readonly is: 'conversion'; readonly json: Uint8Array; readonly output: Output };

/** From a worker to the main thread. `ready`: it accepts another job. */
export type FromWorker = { readonly is: 'ready' } | { readonly is: 'done'; readonly job: number; readonly result: JobResult };

/** The job of an async context, and its admission samples. */
interface CurrentJob {
  readonly job: number;
  readonly admissions: AdmissionSample[];
}

/** An object in the hub version, and the derivation to make in another. */
export interface DerivationMessage {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly what: Derivation;
  readonly value: Uint8Array;
}

export interface JobParts {
  readonly handler: Handler;
  /** Throws if the resource is unknown. */
  derive(derivation: DerivationMessage): Uint8Array;
}

const tickMs = 20;
/** This many timely ticks in a row mean that all jobs of this worker wait for I/O. */
const idleTicks = 3;
const maxJobs = 8;

/** Serves requests in a worker, one at a time; more only while all of them wait for I/O, such as webhooks. */
export class JobLoop {
  readonly #port: MessagePort;
  readonly #requests = new Map<number, IncomingRequest>();
  readonly #current = new AsyncLocalStorage<CurrentJob>();
  #parts: JobParts | undefined;
  #ticking: NodeJS.Timeout | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** The job of the calling async context. */
  readonly currentJob = (): number | undefined => this.#current.getStore()?.job;

  /** Samples are sent to the main thread with the result of their job. */
  readonly admissionObserver: AdmissionObserver = {
    plugin: (plugin, type) => this.#recorder(plugin, type),
    step: (type) => this.#recorder(undefined, type),
    counter: ({ name }) => this.#metric(name),
    histogram: ({ name }) => this.#metric(name),
  };

  serve(parts: JobParts): void {
    this.#parts = parts;
    this.#port.on('message', (message: ToWorkerThread) => this.#receive(message));
    this.#send({ is: 'ready' });
  }

  #recorder(plugin: string | undefined, type: DurationSample['type']): ReturnType<AdmissionObserver['step']> {
    return (operation, milliseconds, rejected) =>
      this.#current.getStore()?.admissions.push({ plugin, type, operation, milliseconds, rejected });
  }

  #metric(metric: string): MetricRecorder {
    return (labels, value) => this.#current.getStore()?.admissions.push({ metric, labels, value });
  }

  #receive(message: ToWorkerThread): void {
    if (message.is === 'job') this.#begin(message.job, message.work);
    else this.#requests.get(message.job)?.cancel();
  }

  #begin(job: number, work: Work): void {
    const admissions: AdmissionSample[] = [];
    if (work.is === 'request') void this.#current.run({ job, admissions }, () => this.#run(job, work.request, admissions));
    else if (work.is === 'conversion') void this.#make(job, async () => answerBytes(200, work.json, work.output));
    else void this.#make(job, async () => derivedAnswer(this.#parts?.derive(work.derivation)));
    this.#watchForIdle();
  }

  /** Never rejects. */
  async #make(job: number, answer: () => Promise<Answer>): Promise<void> {
    const outcome = await settled(answer);
    this.#send({ is: 'done', job, result: { outcome, warnings: [], annotations: [], noted: [], admissions: [] } });
  }

  /** Never rejects. */
  async #run(job: number, message: RequestMessage, admissions: readonly AdmissionSample[]): Promise<void> {
    const { request, told } = receivedRequest(message);
    this.#requests.set(job, request);
    const outcome = await settled(() => this.#answer(request));
    this.#requests.delete(job);
    this.#send({ is: 'done', job, result: { outcome, warnings: request.warningTexts, ...told, admissions } });
  }

  async #answer(request: IncomingRequest): Promise<Answer> {
    try {
      return await (this.#parts as JobParts).handler(request);
    } catch (error) {
      if (error instanceof StatusError) return answerError(error, request);
      throw error;
    }
  }

  /** Requests another job once this thread is idle while its jobs wait. */
  #watchForIdle(): void {
    clearInterval(this.#ticking);
    let [last, timely] = [performance.now(), 0];
    this.#ticking = setInterval(() => {
      const now = performance.now();
      timely = now - last < 2 * tickMs ? timely + 1 : 0;
      last = now;
      if (this.#requests.size > 0 && timely < idleTicks) return;
      clearInterval(this.#ticking);
      if (this.#requests.size > 0 && this.#requests.size < maxJobs) this.#send({ is: 'ready' });
    }, tickMs);
  }

  #send(message: FromWorker): void {
    this.#port.postMessage(message, buffersIn(message));
  }
}

function derivedAnswer(body: Uint8Array = new Uint8Array()): Answer {
  return { kind: 'bytes', status: 200, type: '', body };
}

async function settled(answer: () => Promise<Answer>): Promise<JobResult['outcome']> {
  try {
    return { answer: answerMessage(await answer()) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}
