import { AsyncLocalStorage } from 'node:async_hooks';
import type { MessagePort } from 'node:worker_threads';
import { StatusError } from '@tsukube/machinery';
import type { AdmissionObserver } from '../admission/admission.ts';
import type { Handler } from '../filters/filter.ts';
import type { Answer } from '../http/answer.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { answerError } from '../http/respond.ts';
import { type AdmissionSample, answerMessage, type JobResult, type RequestMessage, receivedRequest } from './job.ts';
import { buffersIn } from './thread-calls.ts';
import { errorMessage } from './thread-errors.ts';

/** From the main thread to a worker. */
export type ToWorker =
  | { readonly is: 'job'; readonly job: number; readonly request: RequestMessage }
  | { readonly is: 'cancelled'; readonly job: number };

/** From a worker to the main thread. `ready`: it takes another job. */
export type FromWorker = { readonly is: 'ready' } | { readonly is: 'done'; readonly job: number; readonly result: JobResult };

/** The job on whose behalf something is done in this worker, and how long admission takes meanwhile. */
interface CurrentJob {
  readonly job: number;
  readonly admissions: AdmissionSample[];
}

const tickMs = 20;
/** So many timely ticks in a row mean that all jobs here wait for something outside this process. */
const ticksOfRest = 3;
const maxJobs = 8;

/** Serves requests in a worker, one after another; several at once only where they wait for others, such as webhooks. */
export class JobLoop {
  readonly #port: MessagePort;
  readonly #requests = new Map<number, IncomingRequest>();
  readonly #current = new AsyncLocalStorage<CurrentJob>();
  #handler: Handler | undefined;
  #ticking: NodeJS.Timeout | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** The job that is being served where this is called. */
  readonly currentJob = (): number | undefined => this.#current.getStore()?.job;

  /** Samples go to the main thread with the result of their job. */
  readonly admissionObserver: AdmissionObserver = {
    plugin: (plugin, type) => this.#recorder(plugin, type),
    step: (type) => this.#recorder(undefined, type),
  };

  serve(handler: Handler): void {
    this.#handler = handler;
    this.#port.on('message', (message: ToWorker) => this.#receive(message));
    this.#send({ is: 'ready' });
  }

  #recorder(plugin: string | undefined, type: AdmissionSample['type']): ReturnType<AdmissionObserver['step']> {
    return (operation, milliseconds, rejected) =>
      this.#current.getStore()?.admissions.push({ plugin, type, operation, milliseconds, rejected });
  }

  #receive(message: ToWorker): void {
    if (message.is === 'job') this.#begin(message.job, message.request);
    else this.#requests.get(message.job)?.cancel();
  }

  #begin(job: number, request: RequestMessage): void {
    const admissions: AdmissionSample[] = [];
    void this.#current.run({ job, admissions }, () => this.#run(job, request, admissions));
    this.#watchForRest();
  }

  /** Never fails. */
  async #run(job: number, message: RequestMessage, admissions: readonly AdmissionSample[]): Promise<void> {
    const { request, told } = receivedRequest(message);
    this.#requests.set(job, request);
    const outcome = await this.#outcome(request);
    this.#requests.delete(job);
    this.#send({ is: 'done', job, result: { outcome, warnings: request.warningTexts, ...told, admissions } });
  }

  async #outcome(request: IncomingRequest): Promise<JobResult['outcome']> {
    try {
      return { answer: answerMessage(await this.#answer(request)) };
    } catch (error) {
      return { error: errorMessage(error) };
    }
  }

  async #answer(request: IncomingRequest): Promise<Answer> {
    try {
      return await (this.#handler as Handler)(request);
    } catch (error) {
      if (error instanceof StatusError) return answerError(error, request);
      throw error;
    }
  }

  /** Asks for another job once this thread has been idle for a while although jobs are under way. */
  #watchForRest(): void {
    clearInterval(this.#ticking);
    let [last, timely] = [performance.now(), 0];
    this.#ticking = setInterval(() => {
      const now = performance.now();
      timely = now - last < 2 * tickMs ? timely + 1 : 0;
      last = now;
      if (this.#requests.size > 0 && timely < ticksOfRest) return;
      clearInterval(this.#ticking);
      if (this.#requests.size > 0 && this.#requests.size < maxJobs) this.#send({ is: 'ready' });
    }, tickMs);
  }

  #send(message: FromWorker): void {
    this.#port.postMessage(message, buffersIn(message));
  }
}
