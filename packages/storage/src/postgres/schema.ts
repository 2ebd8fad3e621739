import type { Migration } from '../sql/dialect.ts';

/**
 * Keys are compared bytewise. The tables that change with every write leave room in their pages, so that updates need no new index
 * entries (HOT), and are vacuumed early.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: [
      'CREATE TABLE IF NOT EXISTS tsukube_schema (id smallint PRIMARY KEY CHECK (id = 1), version integer NOT NULL)',
      'INSERT INTO tsukube_schema VALUES (1, 0) ON CONFLICT DO NOTHING',
      `CREATE TABLE IF NOT EXISTS tsukube_revision (id smallint PRIMARY KEY CHECK (id = 1), newest bigint NOT NULL)
        WITH (fillfactor = 10, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0)`,
      'INSERT INTO tsukube_revision VALUES (1, 1) ON CONFLICT DO NOTHING',
      `CREATE TABLE IF NOT EXISTS tsukube_compaction
        (id smallint PRIMARY KEY CHECK (id = 1), compacted bigint NOT NULL, swept bigint NOT NULL) WITH (fillfactor = 10)`,
      'INSERT INTO tsukube_compaction VALUES (1, 0, 0) ON CONFLICT DO NOTHING',
      `CREATE TABLE IF NOT EXISTS tsukube_writers
        (writer text PRIMARY KEY, batch bigint NOT NULL, beats bigint NOT NULL, seen timestamptz NOT NULL)
        WITH (fillfactor = 10, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0)`,
      `CREATE TABLE IF NOT EXISTS tsukube_changes (
        revision bigint PRIMARY KEY,
        object_key text COLLATE "C" NOT NULL,
        deleted boolean NOT NULL,
        previous bigint NOT NULL,
        created bigint NOT NULL,
        size integer NOT NULL,
        value bytea,
        written timestamptz NOT NULL DEFAULT now()
      ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`,
      'CREATE INDEX IF NOT EXISTS tsukube_changes_of_key ON tsukube_changes (object_key, revision)',
      `CREATE TABLE IF NOT EXISTS tsukube_objects (
        object_key text COLLATE "C" PRIMARY KEY,
        revision bigint NOT NULL,
        created bigint NOT NULL,
        size integer NOT NULL,
        api_version text,
        kind text,
        namespace text,
        name text,
        labels jsonb,
        expires timestamptz
      ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`,
      'CREATE INDEX IF NOT EXISTS tsukube_objects_expiry ON tsukube_objects (expires) WHERE expires IS NOT NULL',
      `CREATE OR REPLACE VIEW tsukube_live AS
        SELECT o.object_key, o.api_version, o.kind, o.namespace, o.name, o.labels, o.revision, o.created, o.expires, c.written,
          CASE WHEN o.kind IS NOT NULL THEN convert_from(c.value, 'UTF8')::json END AS object
        FROM tsukube_objects o JOIN tsukube_changes c ON c.revision = o.revision`,
    ],
  },
  {
    // Constant defaults do not rewrite the tables.
    version: 2,
    statements: [
      'ALTER TABLE tsukube_revision ADD COLUMN IF NOT EXISTS commit_id bigint NOT NULL DEFAULT 0',
      `ALTER TABLE tsukube_changes ADD COLUMN IF NOT EXISTS commit_id bigint NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS parent_id bigint NOT NULL DEFAULT 0`,
    ],
  },
];
