import type { Batch, Entry, Page, Store, StoreDeleteOptions, StoreListOptions, StoreWriteOptions } from '../store.ts';
import { SqlCompactor } from './compactor.ts';
import type { SqlDialect, SqlLogger } from './dialect.ts';
import { Durability } from './durability.ts';
import { SqlExpiry } from './expiry.ts';
import { SqlFollower } from './follower.ts';
import type { Position } from './history.ts';
import { SqlLog } from './log.ts';
import { SessionPool } from './pool.ts';
import { SqlReads } from './reads.ts';
import { SqlWatches } from './watches.ts';
import { SqlWriter, type WriteRequest } from './writer.ts';

interface SqlStoreOptions {
  /** Timeout of a request, retries included. */
  readonly timeoutMs: number;
  /** Connections for reads. Two more are used for writes and notifications. */
  readonly connections: number;
  readonly logger: SqlLogger | undefined;
}

/** A store on a database whose schema is ready. */
export class SqlStore implements Store {
  readonly #pool: SessionPool;
  readonly #writer: SqlWriter;
  readonly #reads: SqlReads;
  readonly #log: SqlLog;
  readonly #watches: SqlWatches;
  readonly #compactor: SqlCompactor;
  readonly #expiry: SqlExpiry;
  readonly #follower: SqlFollower;
  #checking: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(dialect: SqlDialect, start: Position, { timeoutMs, connections, logger }: SqlStoreOptions) {
    this.#pool = new SessionPool(dialect, connections, timeoutMs);
    this.#writer = new SqlWriter({
      dialect,
      timeoutMs,
      logger,
      onCommit: (group) => {
        durability.note(group.newest);
        this.#log.add(group);
      },
      position: () => this.#log.position,
      onLoss: (position) => {
        const fields = { lastKnown: this.#log.newest, continuedAt: position.newest };
        logger?.warn('the database has lost revisions that this server has seen; clients have to list again', fields);
        this.#log.reset(position);
      },
    });
    const durability = new Durability(dialect, this.#writer);
    const position = () => this.#log.position;
    this.#reads = new SqlReads({ dialect, pool: this.#pool, durability, position, onBehind: () => this.#checkHistory() });
    const state = () => this.#reads.state();
    this.#log = new SqlLog({
      ...{ dialect, pool: this.#pool, durability, start },
      onGrowth: () => this.#watches.wake(),
      onDoubt: () => void this.#checkHistory().catch(() => {}),
    });
    this.#watches = new SqlWatches(this.#log, state, logger);
    this.#compactor = new SqlCompactor(dialect, this.#pool, state);
    this.#expiry = new SqlExpiry(dialect, this.#pool, (key, expected) => this.delete(key, expected));
    this.#follower = new SqlFollower({
      ...{ dialect, pool: this.#pool, log: this.#log, writer: this.#writer.id, logger },
      heartbeat: () => this.#writer.heartbeat(),
    });
    this.#expiry.expect(0);
    this.#compactor.sweep().catch((error) => logger?.warn('compaction was not finished', { error: String(error) }));
  }

  async revision(): Promise<number> {
    const { newest } = await this.#reads.state();
    this.#log.reach(newest);
    return newest;
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#reads.get(key);
  }

  list(prefix: string, options: StoreListOptions = {}): Promise<Page> {
    return this.#reads.list(prefix, options);
  }

  create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    return this.#write({ key, value, expected: undefined, isCancelled: options?.isCancelled, ttlSeconds: options?.ttlSeconds });
  }

  update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    return this.#write({ key, value, expected, isCancelled: options?.isCancelled, ttlSeconds: options?.ttlSeconds });
  }

  async delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    const { revision } = await this.#write({ key, value: undefined, expected, isCancelled: options?.isCancelled });
    return revision;
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#writer.cancelledUnderWay();
  }

  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.#watches.follow(prefix, from, signal);
  }

  compact(revision: number): Promise<void> {
    return this.#compactor.compact(revision);
  }

  ping(): Promise<void> {
    return this.#writer.ping();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#watches.end();
    await Promise.all([this.#expiry.stop(), this.#compactor.stop(), this.#follower.stop()]);
    await this.#writer.close();
    await this.#pool.close();
  }

  /** Connections to a server that is behind, such as a former primary, are not used again. */
  #checkHistory(): Promise<void> {
    this.#checking ??= this.#writer.checkHistory().finally(() => {
      this.#checking = undefined;
      this.#pool.renew();
    });
    return this.#checking;
  }

  async #write(request: WriteRequest): Promise<Entry> {
    const entry = await this.#writer.write(request);
    if (request.ttlSeconds) this.#expiry.expect(request.ttlSeconds);
    return entry;
  }
}
