import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { IncomingConnections } from '@tsukube/transport';
import { answerAbout, storePipe, subjects, type ToWorker, type ToWriter, type WorkerStart } from './messages.ts';
import type { MetricsPage, ProcessAnswers, ProcessGroup } from './process-group.ts';
import { isDialogue, Questions } from './questions.ts';

const scrapeMs = 4_000;
const hookMs = 10_000;

/** The used parts of the process object. */
export type WorkerChannel = Pick<NodeJS.Process, 'on' | 'once' | 'off' | 'send' | 'connected'>;

/** A process of `--workers`: its connection to process 0. */
export class WriterLink implements ProcessGroup, IncomingConnections {
  readonly index: number;
  readonly count: number;
  readonly address: AddressInfo;
  readonly start: WorkerStart;
  readonly #channel: WorkerChannel;
  readonly #questions: Questions;
  #answers: ProcessAnswers | undefined;
  #accept: ((socket: Socket) => void) | undefined;
  #onStop: () => void = () => {};
  #closed = 0;

  /** Resolves with the first message of process 0. Rejects if this process was not started by one. */
  static open(channel: WorkerChannel): Promise<WriterLink> {
    if (!channel.send) return Promise.reject(new Error('this command is for processes that tsukube serve --workers starts'));
    return new Promise((resolve, reject) => {
      channel.once('disconnect', () => reject(new Error('the writing process has ended')));
      channel.once('message', (message: unknown) => resolve(new WriterLink(channel, message as WorkerStart)));
    });
  }

  private constructor(channel: WorkerChannel, start: WorkerStart) {
    this.#channel = channel;
    this.start = start;
    this.index = start.index;
    this.count = start.options.workers;
    this.address = start.address;
    this.#questions = new Questions(
      (message) => this.#send(message),
      async (subject) => (await answerAbout(subject, this.#answers)) ?? '',
    );
    channel.on('message', (message: unknown, socket: unknown) => this.#receive(message as ToWorker, socket));
  }

  /** The pipe for writes. */
  pipe(): Duplex {
    return new Socket({ fd: storePipe, readable: true, writable: true });
  }

  /** Process 0 wants this one to shut down. */
  onStop(listener: () => void): void {
    this.#onStop = listener;
  }

  ready(): void {
    this.#send({ type: 'ready' });
  }

  open(accept: (socket: Socket) => void): void {
    this.#accept = accept;
  }

  close(): void {
    this.#accept = undefined;
    this.#send({ type: 'draining' });
  }

  answer(answers: ProcessAnswers): void {
    this.#answers = answers;
  }

  scrapeAll(page: MetricsPage): Promise<string> {
    return this.#questions.ask(subjects.all(page), scrapeMs);
  }

  async checkHook(name: string): Promise<void> {
    await this.#questions.ask(subjects.hook(name), hookMs);
  }

  #send(message: ToWriter): void {
    if (this.#channel.connected) this.#channel.send?.(message, () => {});
  }

  #receive(message: ToWorker, socket: unknown): void {
    if (isDialogue(message)) this.#questions.receive(message);
    else if (message.type === 'connection') this.#take(socket as Socket | undefined);
    else if (message.type === 'stop') this.#onStop();
  }

  /** Undefined if the client was gone before the socket arrived. */
  #take(socket: Socket | undefined): void {
    if (!socket) return void this.#countClosed();
    socket.once('close', () => this.#countClosed());
    if (this.#accept) this.#accept(socket);
    else socket.destroy();
  }

  /** Closed connections of one turn of the event loop share a message. */
  #countClosed(): void {
    if (this.#closed++ > 0) return;
    setImmediate(() => {
      this.#send({ type: 'closed', count: this.#closed });
      this.#closed = 0;
    });
  }
}
