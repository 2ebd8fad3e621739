import { setTimeout as pause } from 'node:timers/promises';
import type { SqlLogger } from '../sql/dialect.ts';
import { backoff } from '../sql/failures.ts';
import { statement } from '../sql/statements.ts';
import type { PostgresSession } from './session.ts';
import { CHANNEL } from './statements.ts';

const TIMEOUT_MS = 10_000;

type Connect = (timeoutMs: number) => Promise<PostgresSession>;
type OnCommit = (writer: string, newest: number) => void;

/** A connection that listens for commits, and is opened again when it is lost. Commits in between are found by polling. */
export class CommitListener {
  readonly #connect: Connect;
  readonly #onCommit: OnCommit;
  readonly #logger: SqlLogger | undefined;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  #session: PostgresSession | undefined;

  constructor(connect: Connect, onCommit: OnCommit, logger: SqlLogger | undefined) {
    this.#connect = connect;
    this.#onCommit = onCommit;
    this.#logger = logger;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#session?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#listen(() => {
          failures = 0;
        });
      } catch (error) {
        if (failures === 0) this.#logger?.warn('notifications of the database are interrupted', { error: String(error) });
      }
      await pause(backoff(failures), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Settles when the connection is lost. */
  async #listen(onStart: () => void): Promise<void> {
    const session = await this.#connect(TIMEOUT_MS);
    if (this.#end.signal.aborted) return session.close();
    this.#session = session;
    const lost = new Promise<void>((resolve) => session.onNotification((payload) => this.#receive(payload), resolve));
    await session.run([statement(`LISTEN ${CHANNEL}`)], TIMEOUT_MS);
    onStart();
    await lost;
  }

  #receive(payload: string): void {
    const [writer = '', newest] = payload.split(' ');
    this.#onCommit(writer, Number(newest));
  }
}
