import type { ChildProcess } from 'node:child_process';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@tsukube/apiserver';
import type { ServeOptions } from '../config/index.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { answerAbout, subjects } from './messages.ts';
import type { MetricsPage, ProcessAnswers, ProcessGroup } from './process-group.ts';
import { WorkerProcess } from './worker-process.ts';

export interface WorkerProcessesOptions {
  readonly options: ServeOptions;
  /** Starts a process that runs `startWorker`, with an IPC channel and a pipe as file descriptor 4. */
  readonly launch: () => ChildProcess;
  /** Makes the writes that arrive on the pipe of a process. */
  readonly serveStore: (pipe: Duplex, onStuck: () => void) => void;
  readonly logger: Logger;
}

const [firstDelayMs, maxDelayMs] = [100, 10_000];
/** A process that was ready for this long is restarted as soon as the first time. */
const settledMs = 60_000;
const scrapeMs = 2_000;
/** Beyond the time that the flags give to a shutdown. */
const stopMarginMs = 10_000;

/** The other processes of `--workers`: starts them, restarts those that end, and gives each its share of the connections. */
export class WorkerProcesses implements ProcessGroup {
  readonly index = 0;
  readonly count: number;
  readonly #options: WorkerProcessesOptions;
  readonly #workers = new Map<number, WorkerProcess>();
  readonly #delays = new Map<number, number>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #address: AddressInfo | undefined;
  #answers: ProcessAnswers | undefined;
  #own = 0;
  #turn = 0;
  #isStopping = false;

  constructor(options: WorkerProcessesOptions) {
    this.#options = options;
    this.count = options.options.workers;
  }

  /** Starts the processes. They get connections of the port when they are ready. */
  start(address: AddressInfo): void {
    this.#address = address;
    for (let index = 1; index < this.count; index++) this.#launch(index);
  }

  /** Gives a connection to the process with the fewest. Returns false if that is this one. */
  passOn(socket: Socket): boolean {
    const chosen = this.#leastLoaded();
    if (chosen) chosen.accept(socket);
    else {
      this.#own++;
      socket.once('close', () => this.#own--);
    }
    return chosen !== undefined;
  }

  answer(answers: ProcessAnswers): void {
    this.#answers = answers;
  }

  /** Processes that do not answer in time are left out. */
  async scrapeAll(page: MetricsPage): Promise<string> {
    const others = [...this.#workers.values()].filter(({ isReady }) => isReady);
    const texts = await Promise.allSettled([
      this.#answers?.scrape(page),
      ...others.map((worker) => worker.ask(subjects.own(page), scrapeMs)),
    ]);
    const indexes = [0, ...others.map(({ index }) => index)];
    const found = texts.flatMap((text, i) =>
      text.status === 'fulfilled' ? [[indexes[i] as number, text.value ?? ''] as const] : [],
    );
    return mergeMetrics(new Map(found));
  }

  async checkHook(name: string): Promise<void> {
    await this.#answers?.checkHook(name);
  }

  /** Shuts all down gracefully, and kills those that take too long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const workers = [...this.#workers.values()];
    for (const worker of workers) worker.stop();
    const { shutdownDelayDuration, requestTimeout, shutdownWatchTerminationGracePeriod: grace } = this.#options.options;
    const deadline = new AbortController();
    const waitMs = shutdownDelayDuration + Math.max(requestTimeout, grace) + stopMarginMs;
    const late = pause(waitMs, undefined, { signal: deadline.signal }).then(
      () => {
        for (const worker of this.#workers.values()) worker.kill('it did not shut down in time');
      },
      () => {},
    );
    await Promise.all(workers.map(({ ended }) => ended));
    deadline.abort();
    await late;
  }

  #launch(index: number): void {
    const { options, launch, serveStore, logger } = this.#options;
    const worker = new WorkerProcess({
      index,
      options,
      address: this.#address as AddressInfo,
      launch,
      serveStore,
      answer: (subject) => this.#answer(subject),
      onReady: () => logger.info('a worker process is ready', { worker: index, pid: worker.pid }),
      onExit: (readyMs) => this.#onExit(worker, readyMs),
      logger,
    });
    this.#workers.set(index, worker);
  }

  async #answer(subject: string): Promise<string> {
    const page = (['metrics', 'slis'] as const).find((each) => subject === subjects.all(each));
    if (page) return this.scrapeAll(page);
    const answer = await answerAbout(subject, this.#answers);
    if (answer === undefined) throw new Error(`unknown question ${subject}`);
    return answer;
  }

  #onExit(worker: WorkerProcess, readyMs: number): void {
    this.#workers.delete(worker.index);
    if (this.#isStopping) return;
    const { index } = worker;
    const delayMs = readyMs > settledMs ? firstDelayMs : (this.#delays.get(index) ?? firstDelayMs);
    this.#delays.set(index, Math.min(delayMs * 2, maxDelayMs));
    this.#options.logger.warn('a worker process is restarted', { worker: index, delayMs });
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#launch(index);
    }, delayMs);
    this.#restarts.add(timer);
  }

  /** Ties are broken in turn. Undefined for this process. */
  #leastLoaded(): WorkerProcess | undefined {
    let chosen: WorkerProcess | undefined;
    let least = Number.POSITIVE_INFINITY;
    this.#turn = (this.#turn + 1) % this.count;
    for (let i = 0; i < this.count; i++) {
      const index = (this.#turn + i) % this.count;
      const worker = this.#workers.get(index);
      const load = index === 0 ? this.#own : worker?.load;
      if (load === undefined || load >= least) continue;
      [chosen, least] = [worker, load];
    }
    return chosen;
  }
}
