import type { ChangeRow, DialectStatements, GroupRows, SqlValue, Statement } from '../sql/dialect.ts';
import { statement } from '../sql/statements.ts';

const SCHEMA_LOCK = `CONCAT('tsukube.schema.', MD5(DATABASE()))`;
const SCHEMA_LOCK_SECONDS = 50;

export const mysqlStatements: DialectStatements = {
  begin: statement('START TRANSACTION'),
  beginSnapshot: [
    statement('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ'),
    statement('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY'),
  ],
  heads: (keys) =>
    statement(
      // Statistics may be older than the table: without the hints a long list of keys could scan it.
      `SELECT o.object_key, o.revision, o.created, c.value FROM tsukube_objects o FORCE INDEX (PRIMARY)
       STRAIGHT_JOIN tsukube_changes c FORCE INDEX (PRIMARY) ON c.revision = o.revision WHERE o.object_key IN (${keys.map(() => '?').join(', ')})`,
      ...keys.map((key) => Buffer.from(key)),
    ),
  write: writeStatements,
  heartbeat: (writer) =>
    statement(
      `INSERT INTO tsukube_writers (writer, batch, beats, seen) VALUES (?, 0, 0, UTC_TIMESTAMP(3))
       ON DUPLICATE KEY UPDATE beats = beats + 1, seen = UTC_TIMESTAMP(3)`,
      writer,
    ),
  expired: (limit) =>
    statement(
      'SELECT object_key, revision FROM tsukube_objects WHERE expires <= UTC_TIMESTAMP(3) ORDER BY expires LIMIT ?',
      limit,
    ),
  nextExpiry: statement(
    'SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), MIN(expires)) DIV 1000 AS ms FROM tsukube_objects WHERE expires IS NOT NULL',
  ),
  lockCompaction: statement('SELECT compacted, swept FROM tsukube_compaction WHERE id = 1 FOR UPDATE SKIP LOCKED'),
  markCompacted: (revision) =>
    statement('UPDATE tsukube_compaction SET compacted = GREATEST(compacted, ?) WHERE id = 1', revision),
  sweep: (after, upTo) => [
    statement(
      `DELETE p FROM tsukube_changes c JOIN tsukube_changes p ON p.revision = c.previous
       WHERE c.revision > ? AND c.revision <= ? AND c.previous > 0`,
      after,
      upTo,
    ),
    statement('DELETE FROM tsukube_changes WHERE revision > ? AND revision <= ? AND deleted', after, upTo),
  ],
  removeStaleWriters: statement('DELETE FROM tsukube_writers WHERE seen < UTC_TIMESTAMP(3) - INTERVAL 1 DAY'),
  countPeers: (writer) =>
    statement(
      'SELECT COUNT(*) AS peers FROM tsukube_writers WHERE writer <> ? AND seen > UTC_TIMESTAMP(3) - INTERVAL 30 SECOND',
      writer,
    ),
  lockSchema: statement(`SELECT GET_LOCK(${SCHEMA_LOCK}, ${SCHEMA_LOCK_SECONDS}) AS locked`),
  unlockSchema: statement(`SELECT RELEASE_LOCK(${SCHEMA_LOCK})`),
  hasSchema: statement(
    `SELECT 1 AS found FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'tsukube_schema'`,
  ),
};

function writeStatements(group: GroupRows): Statement[] {
  const { changes, writer, batch, newest, commitId } = group;
  const last = changes.filter(({ isLast }) => isLast);
  const stored = last.filter(({ deleted }) => !deleted);
  const removed = last.filter(({ deleted }) => deleted);
  return [
    logged(group),
    ...(stored.length > 0 ? [storedObjects(stored)] : []),
    ...(removed.length > 0 ? [removedObjects(removed)] : []),
    statement(
      `INSERT INTO tsukube_writers (writer, batch, beats, seen) VALUES (?, ?, 0, UTC_TIMESTAMP(3))
       ON DUPLICATE KEY UPDATE batch = VALUES(batch), seen = VALUES(seen)`,
      writer,
      batch,
    ),
    statement('UPDATE tsukube_revision SET newest = ?, commit_id = ? WHERE id = 1', newest, commitId),
  ];
}

function logged({ changes, commitId, parentId }: GroupRows): Statement {
  const rows = changes.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3))');
  const values = changes.flatMap(({ revision, key, deleted, previous, created, value }): SqlValue[] => [
    ...[revision, Buffer.from(key), deleted, previous, created, value.length, commitId, parentId],
    deleted ? null : value,
  ]);
  const columns = 'revision, object_key, deleted, previous, created, size, commit_id, parent_id, value, written';
  return statement(`INSERT INTO tsukube_changes (${columns}) VALUES ${rows.join(', ')}`, ...values);
}

const OBJECT_COLUMNS = ['revision', 'created', 'size', 'api_version', 'kind', 'namespace', 'name', 'labels', 'expires'];
const REPLACE = OBJECT_COLUMNS.map((column) => `${column} = VALUES(${column})`).join(', ');

function storedObjects(changes: readonly ChangeRow[]): Statement {
  const rows = changes.map(
    ({ ttlSeconds }) => `(?, ?, ?, ?, ?, ?, ?, ?, ?, ${ttlSeconds > 0 ? 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND' : 'NULL'})`,
  );
  const values = changes.flatMap(({ revision, key, created, value, columns, ttlSeconds }): SqlValue[] => {
    const { apiVersion, kind, namespace, name, labels } = columns;
    const expiry = ttlSeconds > 0 ? [Math.round(ttlSeconds * 1e6)] : [];
    return [Buffer.from(key), revision, created, value.length, apiVersion, kind, namespace, name, labels, ...expiry];
  });
  const columns = ['object_key', ...OBJECT_COLUMNS].join(', ');
  return statement(
    `INSERT INTO tsukube_objects (${columns}) VALUES ${rows.join(', ')} ON DUPLICATE KEY UPDATE ${REPLACE}`,
    ...values,
  );
}

function removedObjects(changes: readonly ChangeRow[]): Statement {
  const keys = changes.map(({ key }) => Buffer.from(key));
  return statement(`DELETE FROM tsukube_objects WHERE object_key IN (${keys.map(() => '?').join(', ')})`, ...keys);
}
