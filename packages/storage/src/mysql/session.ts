import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';
import type { SqlRow, SqlSession, SqlValue, Statement } from '../sql/dialect.ts';
import type { SqlAddress, SqlHost } from '../sql/dsn.ts';
import { ConnectionLost } from '../sql/failures.ts';

/** A connection to MySQL or MariaDB. All statements of a call are sent as one text; the server stops at the first error. */
export class MysqlSession implements SqlSession {
  readonly #connection: Connection;
  #lost: Error | undefined;

  static async connect(address: SqlAddress, host: SqlHost, timeoutMs: number): Promise<MysqlSession> {
    const session = new MysqlSession(createConnection(connectionOptions(address, host, timeoutMs)));
    try {
      await session.#connected(timeoutMs);
      return session;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  private constructor(connection: Connection) {
    this.#connection = connection;
    connection.on('error', (error) => {
      this.#lost ??= error;
    });
    connection.on('end', () => {
      this.#lost ??= new Error('the connection has ended');
    });
  }

  get broken(): boolean {
    return this.#lost !== undefined;
  }

  run(statements: readonly Statement[], timeoutMs: number): Promise<readonly (readonly SqlRow[])[]> {
    if (this.#lost) return Promise.reject(new ConnectionLost(this.#lost.message, { cause: this.#lost }));
    const text = statements.map(toText).join(';\n');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#lost ??= new Error(`no answer within ${Math.round(timeoutMs)} ms`);
        this.destroy();
        reject(new ConnectionLost(this.#lost.message));
      }, timeoutMs);
      this.#connection.query(text, (error, result) => {
        clearTimeout(timer);
        if (error) reject(this.#explain(error));
        else resolve((statements.length === 1 ? [result] : (result as unknown[])).map(rowsOf));
      });
    });
  }

  async close(): Promise<void> {
    if (this.#lost) return this.destroy();
    this.#lost = new Error('the connection is closed');
    await new Promise<void>((resolve) => this.#connection.end(() => resolve()));
  }

  destroy(): void {
    this.#lost ??= new Error('the connection is closed');
    this.#connection.destroy();
  }

  #connected(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new ConnectionLost(`no answer within ${Math.round(timeoutMs)} ms`)), timeoutMs);
      this.#connection.connect((error) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  #explain(error: Error & { readonly errno?: number; readonly fatal?: boolean }): Error {
    if (error.fatal) this.#lost ??= error;
    return this.#lost && error.errno === undefined ? new ConnectionLost(error.message, { cause: error }) : error;
  }
}

function connectionOptions(
  { user, password, database, tls }: SqlAddress,
  { host, port }: SqlHost,
  timeoutMs: number,
): ConnectionOptions {
  const place = host.startsWith('/') ? { socketPath: host } : { host, port };
  return {
    ...place,
    ...{ user, database, charset: 'utf8mb4', multipleStatements: true, connectTimeout: Math.ceil(timeoutMs) },
    ...(password !== undefined && { password }),
    ...(tls && { ssl: { ...tls, verifyIdentity: tls.rejectUnauthorized !== false && !tls.checkServerIdentity } as object }),
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  };
}

/** Replaces placeholders by literals. Texts and bytes are hexadecimal, so that no setting of the server affects their meaning. */
function toText({ text, values }: Statement): string {
  let next = 0;
  return text.replace(/\?/g, () => literal(values[next++] as SqlValue));
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return `_utf8mb4 X'${Buffer.from(value).toString('hex')}'`;
  if (!(value instanceof Uint8Array)) throw new TypeError('MySQL has no arrays');
  return `X'${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}'`;
}

/** The result of a statement without rows is an object. */
function rowsOf(result: unknown): readonly SqlRow[] {
  return Array.isArray(result) ? result : [];
}
