import type { SqlDialect, SqlSession } from './dialect.ts';
import { readVersion, statement } from './statements.ts';

/** Migrations may wait for another server that migrates. */
const TIMEOUT_MS = 60_000;

/** Creates or upgrades the tables, one server at a time. Throws if they are newer than this server knows. */
export async function prepareSchema(dialect: SqlDialect, session: SqlSession): Promise<void> {
  const { sql, migrations } = dialect;
  const known = migrations.at(-1)?.version ?? 0;
  if ((await schemaVersion(dialect, session)) === known) return;
  const [locked] = await session.run([sql.lockSchema], TIMEOUT_MS);
  if (!locked?.[0]?.locked) throw new Error('another server has been changing the tables for too long');
  try {
    const found = await schemaVersion(dialect, session);
    if (found > known)
      throw new Error(
        `the tables in the database have schema version ${found}, and this server knows versions up to ${known}: use a newer server`,
      );
    for (const { version, statements } of migrations) if (version > found) await migrate(session, version, statements);
  } finally {
    if (!session.broken) await session.run([sql.unlockSchema], TIMEOUT_MS);
  }
}

async function migrate(session: SqlSession, version: number, statements: readonly string[]): Promise<void> {
  for (const text of statements) await session.run([statement(text)], TIMEOUT_MS);
  await session.run([statement('UPDATE tsukube_schema SET version = ?', version)], TIMEOUT_MS);
}

/** 0 if there are no tables. */
async function schemaVersion({ sql }: SqlDialect, session: SqlSession): Promise<number> {
  const [exists] = await session.run([sql.hasSchema], TIMEOUT_MS);
  if (!exists?.[0]) return 0;
  const [rows] = await session.run([readVersion], TIMEOUT_MS);
  return (rows?.[0]?.version as number | undefined) ?? 0;
}
