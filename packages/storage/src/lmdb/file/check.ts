import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedDatabase, DatabaseFile, openDatabaseFile } from './database-file.ts';
import { numberKeys, pairKeys } from './key-encodings.ts';
import { DAMAGED, type Head, isHeadOf, LAYOUT, readDue, readHead, readRecord, type State } from './records.ts';

export interface CheckReport {
  /** Structural damage. With any, the server does not start. */
  readonly problems: readonly string[];
  /** Keys with corrupt values. Reading one is a 500; all others are served. */
  readonly damaged: readonly string[];
  /** Number of corrupt changes in the history. Watches that need them fail with Compacted. */
  readonly damagedHistory: number;
  readonly objects: number;
  /** Number of records in the log, history included. */
  readonly records: number;
  readonly bytes: number;
  readonly revision: number | undefined;
}

/** Validates a value whose checksum is correct; returns the problem, if any. */
export type ValueProblem = (key: string, value: Uint8Array) => string | undefined;

/** Reads a database that no process has open, and checks all checksums and cross references. */
export function checkDatabase(directory: string, valueProblem: ValueProblem = () => undefined): CheckReport {
  const database = openDatabaseFile(directory);
  try {
    return new Check(database, valueProblem).run();
  } finally {
    database.close();
  }
}

class Check {
  readonly #database: DatabaseFile;
  readonly #valueProblem: ValueProblem;
  readonly #heads = new Map<string, Head>();
  /** Keys by the revision of their newest value, until its record is seen. */
  readonly #missing = new Map<number, string>();
  readonly #damaged: string[] = [];
  #damagedHistory = 0;
  #records = 0;

  constructor(database: DatabaseFile, valueProblem: ValueProblem) {
    this.#database = database;
    this.#valueProblem = valueProblem;
  }

  run(): CheckReport {
    const database = this.#database;
    const found = database.state();
    if (found === undefined) database.problem('the state of the database is missing');
    else if (found.layout !== LAYOUT)
      database.problem(`layout ${found.layout} has no checksums; a start of the server adds them`);
    else this.#tables(found.state);
    database.freeList();
    return {
      problems: database.problems,
      damaged: this.#damaged,
      damagedHistory: this.#damagedHistory,
      objects: this.#heads.size,
      records: this.#records,
      bytes: database.file.size,
      revision: found?.state.revision,
    };
  }

  #tables(state: State): void {
    this.#index();
    this.#log(state);
    this.#expiry();
    for (const key of this.#missing.values()) this.#database.problem(`the value of ${key} is missing`);
  }

  #index(): void {
    const database = this.#database;
    database.table('current', (key, data, page) => {
      const bytes = database.data(data);
      const head = readHead(bytes, bytes.length);
      if (head === DAMAGED || !isHeadOf(key, head)) return database.problem(`page ${page} has a damaged entry of the key index`);
      this.#heads.set(key.toString(), head);
      this.#missing.set(head.revision, key.toString());
    });
  }

  #log({ revision: newest, compacted }: State): void {
    const database = this.#database;
    let recent = 0;
    database.table('log', (key, data) => {
      const revision = numberKeys.readKey(key, 0, key.length);
      this.#records++;
      if (revision > newest) database.problem(`revision ${revision} is beyond the newest one, ${newest}`);
      if (revision > compacted) recent++;
      this.#record(revision, database.data(data));
    });
    // Revisions of writes start at 2.
    const expected = newest - Math.max(compacted, 1);
    if (recent !== expected) database.problem(`there are ${recent} changes since revision ${compacted}, not ${expected}`);
  }

  #record(revision: number, bytes: Buffer): void {
    const record = readRecord(bytes, bytes.length);
    const key = this.#missing.get(revision);
    this.#missing.delete(revision);
    const isSound = record !== DAMAGED && record.revision === revision && (key === undefined || key === record.key);
    if (key === undefined) {
      if (!isSound) this.#damagedHistory++;
    } else if (isSound) this.#value(key, record.value);
    else this.#damaged.push(key);
  }

  #value(key: string, value: Uint8Array): void {
    const problem = this.#valueProblem(key, value);
    if (problem !== undefined) this.#database.problem(`the value of ${key} ${problem}`);
  }

  #expiry(): void {
    const database = this.#database;
    let due = 0;
    database.table('expiry', (at, data, page) => {
      const [expires = 0, revision = 0] = at.length === 16 ? pairKeys.readKey(at, 0, at.length) : [];
      const key = readDue(database.data(data), expires, revision);
      if (key === DAMAGED) return database.problem(`page ${page} has a damaged expiry entry`);
      const head = this.#heads.get(key);
      if (head?.expires === expires && head.revision === revision) due++;
      else database.problem(`${key} does not expire at ${expires}`);
    });
    const expiring = [...this.#heads.values()].filter(({ expires }) => expires > 0).length;
    if (due !== expiring) database.problem(`${expiring} keys expire, the expiry index has ${due} of them`);
  }
}

/**
 * Throws DamagedDatabase for a file that is not safe to open with LMDB. Checks all pages of all trees and the checksums of the
 * key index; values are checked when they are read. Takes one to two milliseconds per megabyte.
 */
export function verifyDatabase(directory: string): void {
  const path = join(directory, 'data.mdb');
  const isKnown = existsSync(markerOf(directory));
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (isKnown && !bytes) throw new DamagedDatabase(path, [bytes === 0 ? 'it is empty' : 'it is missing']);
  if (!bytes || !isReadable) return;
  const database = new DatabaseFile(directory);
  try {
    verify(database, isKnown);
  } finally {
    database.close();
  }
  if (database.problems.length > 0) throw new DamagedDatabase(path, database.problems);
}

/**
 * The file format read here is that of 64-bit little-endian machines. Of the platforms with prebuilt binaries only 32-bit ARM
 * differs.
 */
const isReadable = process.arch !== 'arm' && process.arch !== 'ia32';

function verify(database: DatabaseFile, isKnown: boolean): void {
  const found = database.state();
  if (isKnown && !found) database.problem('the table of meta data is missing');
  verifyIndex(database, found?.layout === LAYOUT);
  database.table('log');
  database.freeList();
}

/** Checks the key index and the expiry index. */
function verifyIndex(database: DatabaseFile, hasChecksums: boolean): void {
  if (!hasChecksums) {
    database.table('current');
    database.table('expiry');
    return;
  }
  database.table('current', (key, data, page) => {
    const bytes = database.data(data);
    const head = readHead(bytes, bytes.length);
    if (head === DAMAGED || !isHeadOf(key, head)) database.problem(`page ${page} has a damaged entry of the key index`);
  });
  database.table('expiry', (key, data, page) => {
    const [expires = 0, revision = 0] = key.length === 16 ? pairKeys.readKey(key, 0, key.length) : [];
    if (readDue(database.data(data), expires, revision) === DAMAGED) database.problem(`page ${page} has a damaged expiry entry`);
  });
}

/** Marker file: distinguishes an emptied database from a new one. */
function markerOf(directory: string): string {
  return join(directory, 'layout.json');
}

/** Call once the database has a state. */
export function markDatabase(directory: string): void {
  if (!existsSync(markerOf(directory)))
    writeFileSync(markerOf(directory), `${JSON.stringify({ layout: LAYOUT })}\n`, { mode: 0o600 });
}
