import pg from 'pg';
import type { SqlRow, SqlSession, SqlValue, Statement } from '../sql/dialect.ts';
import type { SqlAddress, SqlHost } from '../sql/dsn.ts';
import { ConnectionLost } from '../sql/failures.ts';

/** A transaction that waits for its client, such as one of a suspended server, holds the revision row no longer than this. */
const IDLE_IN_TRANSACTION_MS = 5_000;
const LOCK_TIMEOUT_MS = 5_000;

const OID = { bool: 16, bytea: 17, int8: 20, int4: 23 };

/** Results are text: pg does not read binary ones. */
const types = {
  getTypeParser(oid: number): (value: string) => unknown {
    if (oid === OID.bool) return (value) => value === 't';
    if (oid === OID.int8 || oid === OID.int4) return Number;
    return oid === OID.bytea ? (value) => Buffer.from(value.slice(2), 'hex') : (value) => value;
  },
};

/** A connection to PostgreSQL. All statements of a call are sent at once and prepared once. */
export class PostgresSession implements SqlSession {
  readonly #client: pg.Client;
  readonly #names = new Map<string, string>();
  #lost: Error | undefined;

  static async connect(address: SqlAddress, { host, port }: SqlHost, timeoutMs: number): Promise<PostgresSession> {
    const { user, password, database, tls, parameters } = address;
    const schema = parameters.get('schema');
    const client = new pg.Client({
      ...{ host, port, user, database, types, pipeline: true, keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
      ...(password !== undefined && { password }),
      ssl: tls ?? false,
      connectionTimeoutMillis: timeoutMs,
      application_name: 'tsukube',
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      options: sessionSettings(schema),
    } as pg.ClientConfig);
    const session = new PostgresSession(client);
    try {
      await client.connect();
    } catch (error) {
      session.destroy();
      throw error;
    }
    return session;
  }

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on('error', (error) => {
      this.#lost ??= error;
    });
    client.on('end', () => {
      this.#lost ??= new Error('the connection has ended');
    });
  }

  get broken(): boolean {
    return this.#lost !== undefined;
  }

  async run(statements: readonly Statement[], timeoutMs: number): Promise<readonly (readonly SqlRow[])[]> {
    if (this.#lost) throw new ConnectionLost(this.#lost.message, { cause: this.#lost });
    const timer = setTimeout(() => this.#breakOff(timeoutMs), timeoutMs);
    const { stream } = this.#connection;
    stream.cork();
    const sent = statements.map((statement) => this.#send(statement));
    stream.uncork();
    try {
      const settled = await Promise.allSettled(sent);
      return settled.map((result) => {
        if (result.status === 'rejected') throw this.#explain(result.reason);
        return result.value.rows;
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls back with the payload of notifications, and when the connection is lost. */
  onNotification(listener: (payload: string) => void, onLost: () => void): void {
    this.#client.on('notification', ({ payload = '' }) => listener(payload));
    this.#client.on('end', onLost);
  }

  async close(): Promise<void> {
    if (this.#lost) return this.destroy();
    this.#lost = new Error('the connection is closed');
    await this.#client.end().catch(() => {});
  }

  destroy(): void {
    this.#lost ??= new Error('the connection is closed');
    this.#connection.stream.destroy();
  }

  get #connection(): { readonly stream: { cork(): void; uncork(): void; destroy(): void } } {
    return (this.#client as unknown as { connection: { stream: { cork(): void; uncork(): void; destroy(): void } } }).connection;
  }

  #send({ text, values }: Statement): Promise<pg.QueryResult<SqlRow>> {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `s${this.#names.size}`;
      this.#names.set(text, name);
    }
    return this.#client.query<SqlRow>({ name, text: numbered(text), values: values.map(parameter) });
  }

  #breakOff(timeoutMs: number): void {
    this.#lost ??= new Error(`no answer within ${Math.round(timeoutMs)} ms`);
    this.destroy();
  }

  /** An error of the connection, rather than one that the server reports, has no code. */
  #explain(error: unknown): unknown {
    if (!this.#lost || (error as { readonly severity?: unknown }).severity !== undefined) return error;
    return new ConnectionLost(this.#lost.message, { cause: error });
  }
}

/**
 * All statements read by index, whatever the statistics: docs/performance.md has the plans without these settings. The scans that
 * remain, of tables with a few rows, have a prohibitive cost then, for which PostgreSQL would compile their plans each time.
 */
const SETTINGS = ['bytea_output=hex', 'enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off', 'jit=off'];

function sessionSettings(schema: string | undefined): string {
  const settings = schema === undefined ? SETTINGS : [...SETTINGS, `search_path=${escapeOption(schema)}`];
  return settings.map((setting) => `-c ${setting}`).join(' ');
}

function escapeOption(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ');
}

function parameter(value: SqlValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

const numberedTexts = new Map<string, string>();

/** Replaces question marks by $1, $2 and so on. There are few different statements. */
function numbered(text: string): string {
  let result = numberedTexts.get(text);
  if (result === undefined) {
    let count = 0;
    result = text.replace(/\?/g, () => `$${++count}`);
    numberedTexts.set(text, result);
  }
  return result;
}
