import { MessageChannel, Worker } from 'node:worker_threads';
import { StatusError } from '@tsukube/machinery';
import { Cancelled, Unavailable } from '@tsukube/storage';
import type { BytesAnswer } from '@tsukube/transport';
import type { ApiRequest } from '../http/api-request.ts';
import type { Output } from '../http/negotiation.ts';
import type { Logger } from '../logger.ts';
import { FairQueue } from './fair-queue.ts';
import { type AdmissionSample, answerOf, applyResult, type JobResult, requestMessage } from './job.ts';
import type { DerivationMessage, FromWorker, ToWorkerThread, Work } from './job-loop.ts';
import { answerCalls, buffersIn, type CallPorts, type Calls, errorOf, ownedBytes } from './thread-calls.ts';

/** Given to a worker as its `workerData`. */
export interface WorkerThreadData<D> {
  readonly ports: CallPorts;
  readonly data: D;
}

/** The state of jobs, for the functions that workers call. */
export interface JobState {
  isCancelled(job: number): boolean;
  /** The job has written and must not be retried. */
  onWrite(job: number): void;
}

export interface WorkerPoolOptions<C extends Calls<C>> {
  /** The entry file of workers; called before the first one starts. */
  readonly file: () => URL | Promise<URL>;
  readonly data: unknown;
  readonly functions: (jobs: JobState) => C;
  readonly recordAdmission: (sample: AdmissionSample) => void;
  readonly logger: Logger;
  readonly maxWorkers: number;
  readonly maxQueued: number;
  /** The heap limit of a worker. Exceeding it ends the worker, not the process. */
  readonly maxHeapMb: number;
  /** Idle workers end after this long. */
  readonly idleMs: number;
  /** A worker still busy with a cancelled request after this long is terminated. */
  readonly stuckMs: number;
}

interface Job {
  readonly id: number;
  readonly request: ApiRequest;
  /** Creates the message for each attempt, since its bytes are transferred. */
  readonly work: () => Work;
  readonly resolve: (answer: BytesAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly onAbort: () => void;
  attempts: number;
  isWritten: boolean;
}

interface Slot {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
  isReady: boolean;
}

/** The attempts of a request whose worker ended for another reason. */
const maxAttempts = 2;

/** Worker threads that serve whole requests. Started on demand, ended when idle. */
export class WorkerPool<C extends Calls<C>> {
  readonly #options: WorkerPoolOptions<C>;
  readonly #queue: FairQueue<Job>;
  readonly #slots = new Set<Slot>();
  /** Queued or running. */
  readonly #jobs = new Map<number, Job>();
  #starting = 0;
  #lastJob = 0;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WorkerPoolOptions<C>) {
    this.#options = options;
    this.#queue = new FairQueue(options.maxQueued);
  }

  /** Rejects as the handler does, with 429 if the queue is full, or with Cancelled. */
  run(request: ApiRequest, body: Uint8Array): Promise<BytesAnswer> {
    return this.#submit(request, () => ({ is: 'request', request: requestMessage(request, body) }));
  }

  /** Converts JSON to another format for a response. Rejects as `run` does. */
  async convert(request: ApiRequest, json: Uint8Array, output: Output): Promise<Uint8Array> {
    const { body } = await this.#submit(request, () => ({ is: 'conversion', json: ownedBytes(json), output }));
    return body as Uint8Array;
  }

  /** Makes a derivation for a list or watch. Rejects as `run` does. */
  async derive(request: ApiRequest, derivation: DerivationMessage): Promise<Uint8Array> {
    const work = () => ({ ...derivation, value: ownedBytes(derivation.value) });
    const { body } = await this.#submit(request, () => ({ is: 'derivation', derivation: work() }));
    return body as Uint8Array;
  }

  #submit(request: ApiRequest, work: () => Work): Promise<BytesAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Unavailable('the server is stopping', { unwritten: true });
      if (request.isOver) throw new Cancelled();
      const onAbort = () => this.#cancel(job);
      const job: Job = { id: ++this.#lastJob, request, work, resolve, reject, onAbort, attempts: 0, isWritten: false };
      this.#enqueue(job);
      request.signal.addEventListener('abort', onAbort);
      this.#assign();
    });
  }

  /** Ends all workers. Pending requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    const ended = [...this.#slots].map(({ worker }) => worker.terminate());
    for (const job of this.#jobs.values()) this.#fail(job, new Unavailable('the server is stopping'));
    await Promise.all(ended);
  }

  #enqueue(job: Job): void {
    if (!this.#queue.push(job.request.user.name, job))
      throw StatusError.tooManyRequests('too many large requests, please try again later', 1);
    this.#jobs.set(job.id, job);
  }

  /** Assigns jobs to ready workers; starts a worker if none is ready. */
  #assign(): void {
    clearTimeout(this.#idle);
    for (const slot of this.#slots) if (slot.isReady && this.#queue.size > 0) this.#give(this.#queue.shift() as Job, slot);
    const { maxWorkers, idleMs } = this.#options;
    if (this.#queue.size > this.#starting && this.#slots.size + this.#starting < maxWorkers) void this.#start();
    if (this.#jobs.size === 0) this.#idle = setTimeout(() => this.#endAll(), idleMs).unref();
  }

  #give(job: Job, slot: Slot): void {
    slot.isReady = false;
    slot.jobs.set(job.id, job);
    job.attempts++;
    post(slot.worker, { is: 'job', job: job.id, work: job.work() });
  }

  async #start(): Promise<void> {
    this.#starting++;
    try {
      const file = await this.#options.file();
      if (!this.#isClosed) this.#slots.add(this.#open(file));
    } catch (error) {
      this.#options.logger.error('a worker thread could not be started', { error: String(error) });
      for (let job = this.#queue.shift(); job; job = this.#queue.shift()) this.#fail(job, noWorker());
    } finally {
      this.#starting--;
    }
  }

  #open(file: URL): Slot {
    const [calls, blocking] = [new MessageChannel(), new MessageChannel()];
    const settled = new Int32Array(new SharedArrayBuffer(4));
    const { data, functions, maxHeapMb } = this.#options;
    const workerData: WorkerThreadData<unknown> = { ports: { calls: calls.port2, blocking: blocking.port2, settled }, data };
    const worker = new Worker(file, {
      workerData,
      transferList: [calls.port2, blocking.port2],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      execArgv: [],
      name: 'requests',
    });
    const slot: Slot = { worker, jobs: new Map(), isReady: false };
    answerCalls({ calls: calls.port1, blocking: blocking.port1, settled }, functions(this.#state));
    let failure: unknown;
    worker.on('message', (message: FromWorker) => this.#receive(message, slot));
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      calls.port1.close();
      blocking.port1.close();
      this.#onExit(slot, failure);
    });
    for (const each of [worker, calls.port1, blocking.port1]) each.unref();
    return slot;
  }

  readonly #state: JobState = {
    isCancelled: (id) => this.#jobs.get(id)?.request.isOver ?? true,
    onWrite: (id) => {
      const job = this.#jobs.get(id);
      if (job) job.isWritten = true;
    },
  };

  #receive(message: FromWorker, slot: Slot): void {
    if (message.is === 'done') this.#finish(message.job, message.result, slot);
    slot.isReady = message.is === 'ready' || slot.jobs.size === 0;
    this.#assign();
  }

  #finish(id: number, result: JobResult, slot: Slot): void {
    const job = slot.jobs.get(id);
    slot.jobs.delete(id);
    for (const sample of result.admissions) this.#options.recordAdmission(sample);
    if (!job || !this.#forget(job)) return;
    applyResult(result, job.request);
    const { outcome } = result;
    if ('answer' in outcome) job.resolve(answerOf(outcome.answer));
    else job.reject(errorOf(outcome.error));
  }

  #cancel(job: Job): void {
    if (this.#queue.remove(job.request.user.name, job)) this.#fail(job, new Cancelled());
    const slot = [...this.#slots].find(({ jobs }) => jobs.has(job.id));
    if (!slot) return;
    post(slot.worker, { is: 'cancelled', job: job.id });
    setTimeout(() => {
      if (!slot.jobs.has(job.id)) return;
      this.#options.logger.warn('terminating a worker thread that is still busy with a cancelled request', {
        url: job.request.exchange.url,
      });
      void slot.worker.terminate();
    }, this.#options.stuckMs).unref();
  }

  /** Retries the jobs of a worker that ended, unless they may have written or caused the end. */
  #onExit(slot: Slot, failure: unknown): void {
    this.#slots.delete(slot);
    if (failure !== undefined) this.#options.logger.error('a worker thread ended', { error: String(failure) });
    const isAlone = slot.jobs.size === 1;
    for (const job of slot.jobs.values()) {
      if (!this.#jobs.has(job.id)) continue;
      if (job.request.isOver) this.#fail(job, new Cancelled());
      else if (job.isWritten || this.#isClosed) this.#fail(job, new Unavailable('a worker thread ended'));
      else if (job.attempts >= maxAttempts || (isAlone && failure !== undefined)) this.#fail(job, endedBy(failure));
      else this.#retry(job);
    }
    slot.jobs.clear();
    if (!this.#isClosed) this.#assign();
  }

  #retry(job: Job): void {
    this.#jobs.delete(job.id);
    try {
      this.#enqueue(job);
    } catch (error) {
      job.reject(error as Error);
    }
  }

  #fail(job: Job, error: Error): void {
    if (this.#forget(job)) job.reject(error);
  }

  /** Returns whether the job was pending. */
  #forget(job: Job): boolean {
    job.request.signal.removeEventListener('abort', job.onAbort);
    return this.#jobs.delete(job.id);
  }

  #endAll(): void {
    for (const { worker } of this.#slots) void worker.terminate();
  }
}

function post(worker: Worker, message: ToWorkerThread): void {
  worker.postMessage(message, buffersIn(message));
}

function noWorker(): Error {
  return StatusError.serviceUnavailable('large requests cannot be served at this time, please try again');
}

/** The error of a request that ended its worker, most likely by its memory use. */
function endedBy(failure: unknown): Error {
  if ((failure as { readonly code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return StatusError.requestEntityTooLarge('the server does not have the memory to process it');
  return StatusError.internalError('the server could not complete the request; see its log');
}
