/** A value of a placeholder. Uint8Array is binary data; an array of strings is a list of keys. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly string[];

/** A statement whose placeholders are question marks. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** A row by column name. Binary columns are Buffers, integers are numbers. */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlLogger {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** One connection. Calls are executed in order. */
export interface SqlSession {
  /** The connection is lost, or in an unknown state after a timeout. */
  readonly broken: boolean;
  /**
   * Runs statements in order, in one round trip, and resolves with the rows of each. Rejects with the first error; no later
   * statement has an effect then, except that COMMIT rolls back. Breaks the session after the timeout.
   */
  run(statements: readonly Statement[], timeoutMs: number): Promise<readonly (readonly SqlRow[])[]>;
  /** Never rejects. */
  close(): Promise<void>;
  /** Closes the connection without a goodbye. */
  destroy(): void;
}

/**
 * - `lost`: no connection, or it broke. A statement in flight may or may not have been executed.
 * - `retry`: deadlock, lock wait timeout, too many connections, startup or shutdown: the transaction was rolled back.
 * - `read-only`: the server takes no writes, for example after a failover.
 * - `full`: the disk is full.
 * - `refused`: wrong credentials, missing rights, missing database: retries are pointless until someone changes that.
 */
export type SqlFailure = 'lost' | 'retry' | 'read-only' | 'full' | 'refused' | 'other';

/** A change as it is written. */
export interface ChangeRow {
  readonly revision: number;
  readonly key: string;
  readonly deleted: boolean;
  /** The revision of the replaced value; 0 if there was none. */
  readonly previous: number;
  readonly created: number;
  readonly value: Uint8Array;
  readonly ttlSeconds: number;
  /** Whether no later change of the same group has the same key. */
  readonly isLast: boolean;
  readonly columns: ObjectColumns;
}

/** Columns for administrators. All null if the value is not a readable object, for example if it is encrypted. */
export interface ObjectColumns {
  readonly apiVersion: string | null;
  readonly kind: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  /** JSON. */
  readonly labels: string | null;
}

export interface GroupRows {
  /** Identifies the process, and its transaction: see SqlWriter. */
  readonly writer: string;
  readonly batch: number;
  /** In order of revision. */
  readonly changes: readonly ChangeRow[];
  readonly newest: number;
  /** Ids of this transaction and of the one before it: see history.ts. */
  readonly commitId: number;
  readonly parentId: number;
}

/** Differences between databases. Everything else is standard SQL in statements.ts. */
export interface SqlDialect {
  /** The name of the database in messages. */
  readonly name: string;
  /** Values above this size cannot be written. */
  readonly maxValueBytes: number;
  /** Opens a connection to a server that takes writes. */
  connect(timeoutMs: number): Promise<SqlSession>;
  failureOf(error: unknown): SqlFailure;
  /** The key as a value of a placeholder. */
  keyValue(key: string): SqlValue;
  /** The key as a string, from a row. */
  readKey(value: unknown): string;
  readonly migrations: readonly Migration[];
  readonly sql: DialectStatements;
  /** Calls back when a writer has committed a revision, until stopped. Absent if the database cannot notify. */
  listen?(onCommit: (writer: string, newest: number) => void, logger: SqlLogger | undefined): { stop(): Promise<void> };
  /** How often the newest revision is read to see writes of other processes; see follower.ts. */
  readonly pollMs: { readonly alone: number; readonly withPeers: number };
  /** Whether other sessions see a commit before it is durable; see durability.ts. Known after the first connection. */
  readonly visibleBeforeDurable: boolean;
}

export interface DialectStatements {
  readonly begin: Statement;
  /** Begins a transaction that reads one state. */
  readonly beginSnapshot: readonly Statement[];
  /** The newest values of keys; columns object_key, revision, created, value. */
  heads(keys: readonly string[]): Statement;
  /** Writes a group within the transaction that holds the revision row. */
  write(rows: GroupRows): readonly Statement[];
  /** Inserts or refreshes the row of a writer. */
  heartbeat(writer: string): Statement;
  /** Columns object_key and revision of expired keys. */
  expired(limit: number): Statement;
  /** Column ms: time until the next expiry; no row or null if there is none. */
  readonly nextExpiry: Statement;
  /** Locks the compaction row, or returns no row if another process has locked it. */
  readonly lockCompaction: Statement;
  markCompacted(revision: number): Statement;
  /** Deletes the changes that are obsolete once the revisions in (after, upTo] are compacted. */
  sweep(after: number, upTo: number): readonly Statement[];
  /** Deletes the rows of writers that have not been seen for a day. */
  readonly removeStaleWriters: Statement;
  /** Column peers: number of other writers seen in the last half minute. */
  countPeers(writer: string): Statement;
  /** Serializes migrations, until the session ends; column locked is false after a timeout. */
  readonly lockSchema: Statement;
  readonly unlockSchema: Statement;
  /** Column version of the schema; no row if there is no schema. */
  readonly hasSchema: Statement;
}

/** Statements that must be harmless when repeated, because not every database rolls back DDL. */
export interface Migration {
  readonly version: number;
  readonly statements: readonly string[];
}
