import { randomInt } from 'node:crypto';
import type { SqlDialect, SqlRow, SqlSession } from './dialect.ts';
import { commit, lockRevision, rollback, statement } from './statements.ts';

/** The newest revision, and the id of the transaction that wrote it. */
export interface Position {
  readonly newest: number;
  /** Random; 0 if unknown, for a revision written before schema version 2. */
  readonly commitId: number;
}

/** How far the revision counter jumps after a loss: further than any revision that a client may have seen. */
const JUMP = 1_000_000;

export function newCommitId(): number {
  return randomInt(1, 2 ** 48 - 1);
}

export function positionOf(row: SqlRow | undefined): Position {
  if (!row) throw new Error('the table tsukube_revision is empty');
  return { newest: row.newest as number, commitId: row.commit_id as number };
}

/** Whether a state that was read cannot come after the position that was known before the read. */
export function isBehind(state: Position, known: Position): boolean {
  return state.newest < known.newest || (state.newest === known.newest && differ(state.commitId, known.commitId));
}

/** Whether the change at the revision after a position belongs to another history. */
export function isForeign(next: SqlRow, known: Position): boolean {
  return next.commit_id !== known.commitId && differ(next.parent_id as number, known.commitId);
}

function differ(a: number, b: number): boolean {
  return a !== b && a !== 0 && b !== 0;
}

/**
 * Each transaction has a random id and records that of the transaction before it. So a server notices that the database has lost
 * revisions which it has seen, by a failover to a standby that lagged behind or by a restore, even if others have written as many
 * since. Revisions are never reused then: the counter jumps beyond all of them and the history is compacted, so that clients list
 * again.
 *
 * Looks at the locked state. Returns the new position after a loss, undefined if nothing is lost.
 */
export async function repairHistory(
  session: SqlSession,
  { sql }: SqlDialect,
  known: Position,
  timeoutMs: number,
): Promise<Position | undefined> {
  const nextChange = statement('SELECT commit_id, parent_id FROM tsukube_changes WHERE revision = ?', known.newest + 1);
  const [, locked, [next] = []] = await session.run([sql.begin, lockRevision, nextChange], timeoutMs);
  const found = positionOf(locked?.[0]);
  if (!isBehind(found, known) && !(next && isForeign(next, known))) {
    await session.run([rollback], timeoutMs);
    return undefined;
  }
  const position = { newest: Math.max(found.newest, known.newest) + JUMP, commitId: newCommitId() };
  const advance = statement(
    'UPDATE tsukube_revision SET newest = ?, commit_id = ? WHERE id = 1',
    position.newest,
    position.commitId,
  );
  await session.run([advance, sql.markCompacted(position.newest), commit], timeoutMs);
  return position;
}
