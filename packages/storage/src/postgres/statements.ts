import type { ChangeRow, DialectStatements, GroupRows, Statement } from '../sql/dialect.ts';
import { statement } from '../sql/statements.ts';

/** Notifications carry the id of the writer and the newest revision. */
export const CHANNEL = 'tsukube_changes';

/** Of the advisory lock that serializes migrations. */
const SCHEMA_LOCK = 7_485_103_291;

export const postgresStatements: DialectStatements = {
  begin: statement('BEGIN'),
  beginSnapshot: [statement('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')],
  heads: (keys) =>
    statement(
      `SELECT o.object_key, o.revision, o.created, c.value FROM tsukube_objects o
       JOIN tsukube_changes c ON c.revision = o.revision WHERE o.object_key = ANY (?::text[])`,
      keys,
    ),
  write: (rows) => [writeStatement(rows)],
  heartbeat: (writer) =>
    statement(
      `INSERT INTO tsukube_writers AS w (writer, batch, beats, seen) VALUES (?, 0, 0, now())
       ON CONFLICT (writer) DO UPDATE SET beats = w.beats + 1, seen = now()`,
      writer,
    ),
  expired: (limit) =>
    statement('SELECT object_key, revision FROM tsukube_objects WHERE expires <= now() ORDER BY expires LIMIT ?', limit),
  nextExpiry: statement('SELECT (extract(epoch FROM min(expires) - now()) * 1000)::bigint AS ms FROM tsukube_objects'),
  lockCompaction: statement('SELECT compacted, swept FROM tsukube_compaction WHERE id = 1 FOR UPDATE SKIP LOCKED'),
  markCompacted: (revision) =>
    statement('UPDATE tsukube_compaction SET compacted = greatest(compacted, ?) WHERE id = 1', revision),
  sweep: (after, upTo) => [
    statement(
      `DELETE FROM tsukube_changes p USING tsukube_changes c
       WHERE c.revision > ? AND c.revision <= ? AND c.previous > 0 AND p.revision = c.previous`,
      after,
      upTo,
    ),
    statement('DELETE FROM tsukube_changes WHERE revision > ? AND revision <= ? AND deleted', after, upTo),
  ],
  removeStaleWriters: statement(`DELETE FROM tsukube_writers WHERE seen < now() - interval '1 day'`),
  countPeers: (writer) =>
    statement(`SELECT count(*) AS peers FROM tsukube_writers WHERE writer <> ? AND seen > now() - interval '30 seconds'`, writer),
  lockSchema: statement('SELECT pg_advisory_lock(?) IS NOT NULL AS locked', SCHEMA_LOCK),
  unlockSchema: statement('SELECT pg_advisory_unlock(?)', SCHEMA_LOCK),
  hasSchema: statement(`SELECT 1 AS found FROM pg_class WHERE oid = to_regclass('tsukube_schema') AND pg_table_is_visible(oid)`),
};

/**
 * One statement for a group of any size, so that it is prepared once: all values are one binary parameter, the rest is JSON with
 * the position of each value.
 */
const WRITE = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(?::json) AS x (revision bigint, object_key text, deleted boolean, previous bigint,
      created bigint, at integer, size integer, ttl double precision, is_last boolean, api_version text, kind text, namespace text,
      name text, labels jsonb)
  ), logged AS (
    INSERT INTO tsukube_changes (revision, object_key, deleted, previous, created, size, commit_id, parent_id, value)
    SELECT revision, object_key, deleted, previous, created, size, ?::bigint, ?::bigint,
      CASE WHEN NOT deleted THEN substring(?::bytea FROM at + 1 FOR size) END
    FROM input
  ), stored AS (
    INSERT INTO tsukube_objects (object_key, revision, created, size, api_version, kind, namespace, name, labels, expires)
    SELECT object_key, revision, created, size, api_version, kind, namespace, name, labels,
      CASE WHEN ttl > 0 THEN now() + ttl * interval '1 second' END
    FROM input WHERE is_last AND NOT deleted
    ON CONFLICT (object_key) DO UPDATE SET revision = excluded.revision, created = excluded.created, size = excluded.size,
      api_version = excluded.api_version, kind = excluded.kind, namespace = excluded.namespace, name = excluded.name,
      labels = excluded.labels, expires = excluded.expires
  ), removed AS (
    DELETE FROM tsukube_objects o USING input i WHERE o.object_key = i.object_key AND i.is_last AND i.deleted
  ), marked AS (
    INSERT INTO tsukube_writers AS w (writer, batch, beats, seen) VALUES (?, ?, 0, now())
    ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, seen = excluded.seen
  )
  UPDATE tsukube_revision SET newest = ?, commit_id = ? WHERE id = 1 RETURNING pg_notify('${CHANNEL}', ?)::text`;

function writeStatement({ changes, writer, batch, newest, commitId, parentId }: GroupRows): Statement {
  let at = 0;
  const rows = changes.map((change) => {
    const row = toRow(change, at);
    at += change.value.length;
    return row;
  });
  const values = Buffer.concat(changes.map(({ value }) => value));
  const notification = `${writer} ${newest}`;
  return statement(WRITE, `[${rows.join(',')}]`, commitId, parentId, values, writer, batch, newest, commitId, notification);
}

function toRow({ revision, key, deleted, previous, created, value, ttlSeconds, isLast, columns }: ChangeRow, at: number): string {
  const { labels, apiVersion, ...names } = columns;
  const row = JSON.stringify({
    ...{ revision, object_key: key, deleted, previous, created, at, size: value.length, ttl: ttlSeconds, is_last: isLast },
    ...{ api_version: apiVersion, ...names },
  });
  return labels === null ? row : `${row.slice(0, -1)},"labels":${labels}}`;
}
