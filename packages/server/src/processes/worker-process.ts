import type { ChildProcess } from 'node:child_process';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '@tsukube/apiserver';
import type { ServeOptions } from '../config/index.ts';
import { storePipe, subjects, type ToWorker, type ToWriter } from './messages.ts';
import { isDialogue, Questions } from './questions.ts';

/** Sockets that were sent and not received yet. A process with more of them gets no more. */
const maxUnsent = 64;
const aliveEveryMs = 5_000;
/** A process whose event loop stands still for this long is killed. */
const aliveTimeoutMs = 30_000;

export interface WorkerProcessParts {
  readonly index: number;
  readonly options: ServeOptions;
  readonly address: AddressInfo;
  readonly launch: () => ChildProcess;
  /** Makes the writes that arrive on the pipe. `onStuck` is called if the process does not answer. */
  readonly serveStore: (pipe: Duplex, onStuck: () => void) => void;
  /** Answers the questions of the process. */
  readonly answer: (subject: string) => Promise<string>;
  readonly onReady: () => void;
  readonly onExit: (wasReadyMs: number) => void;
  readonly logger: Logger;
}

/** A process of `--workers`, as process 0 sees it, from its launch to its end. */
export class WorkerProcess {
  readonly index: number;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #questions: Questions;
  readonly #parts: WorkerProcessParts;
  readonly #aliveTimer: NodeJS.Timeout;
  #readyAt: number | undefined;
  #isAccepting = false;
  /** Sockets that wait until the process has received the ones before them. */
  readonly #unsent = new Set<Socket>();
  #open = 0;

  constructor(parts: WorkerProcessParts) {
    const { index, options, address, launch, serveStore, answer } = parts;
    this.#parts = parts;
    this.index = index;
    this.#child = launch();
    this.#questions = new Questions((message) => this.#send(message), answer);
    this.ended = new Promise((resolve) => {
      // A process that could not be spawned emits only an error.
      this.#child.once('error', (error) => this.#onEnd(String(error), resolve));
      this.#child.once('exit', (code, signal) => this.#onEnd(signal ?? `exit code ${code}`, resolve));
    });
    this.#child.on('message', (message) => this.#receive(message as ToWriter));
    this.#aliveTimer = setInterval(() => this.#checkAlive(), aliveEveryMs).unref();
    const pipe = this.#child.stdio[storePipe] as Duplex | undefined;
    if (pipe) serveStore(pipe, () => this.kill('it does not follow compactions'));
    this.#send({ type: 'start', index, options, address });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isReady(): boolean {
    return this.#readyAt !== undefined;
  }

  /** Open connections; undefined if it takes none at present. */
  get load(): number | undefined {
    return this.#isAccepting && this.#unsent.size < maxUnsent ? this.#open : undefined;
  }

  /** The socket must be paused and unread. If the process ends meanwhile, the connection is closed. */
  accept(socket: Socket): void {
    this.#open++;
    this.#unsent.add(socket);
    socket.on('error', () => {});
    this.#child.send({ type: 'connection' } satisfies ToWorker, socket, (error) => {
      this.#unsent.delete(socket);
      if (error) socket.destroy();
    });
  }

  ask(subject: string, timeoutMs: number): Promise<string> {
    return this.#questions.ask(subject, timeoutMs);
  }

  /** Shuts it down gracefully. One that is not ready has no clients. */
  stop(): void {
    this.#isAccepting = false;
    if (this.isReady) this.#send({ type: 'stop' });
    else this.#child.kill('SIGKILL');
  }

  kill(reason: string): void {
    this.#parts.logger.error('a worker process is killed', { worker: this.index, pid: this.pid, reason });
    this.#child.kill('SIGKILL');
  }

  #send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #receive(message: ToWriter): void {
    if (isDialogue(message)) this.#questions.receive(message);
    else if (message.type === 'closed') this.#open -= message.count;
    else if (message.type === 'draining') this.#isAccepting = false;
    else {
      this.#readyAt = performance.now();
      this.#isAccepting = true;
      this.#parts.onReady();
    }
  }

  #checkAlive(): void {
    if (!this.isReady) return;
    this.#questions.ask(subjects.alive, aliveTimeoutMs).catch(() => {
      if (this.#child.connected) this.kill(`its event loop stood still for ${aliveTimeoutMs / 1000} seconds`);
    });
  }

  #onEnd(outcome: string, resolve: () => void): void {
    clearInterval(this.#aliveTimer);
    this.#isAccepting = false;
    this.#questions.end();
    closeUndelivered(this.#child);
    for (const socket of this.#unsent) socket.destroy();
    this.#unsent.clear();
    this.#parts.logger.info('a worker process has ended', { worker: this.index, pid: this.pid, outcome });
    resolve();
    this.#parts.onExit(this.#readyAt === undefined ? 0 : performance.now() - this.#readyAt);
  }
}

/** A private part of Node's ChildProcess: the socket that was sent and not received yet. */
interface WithPendingMessage {
  _pendingMessage?: { readonly handle?: { close(): void } } | null;
}

/** Node keeps that socket open if the process ends, and its client would wait forever. */
function closeUndelivered(child: ChildProcess): void {
  const sender = child as ChildProcess & WithPendingMessage;
  const { handle } = sender._pendingMessage ?? {};
  sender._pendingMessage = null;
  handle?.close();
}
