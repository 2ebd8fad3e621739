import type { Migration } from '../sql/dialect.ts';

const TABLE = 'ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin ROW_FORMAT = DYNAMIC';

/** Keys are binary, because they are compared bytewise and may be longer than an index of utf8mb4 text; the view shows them as text. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE IF NOT EXISTS tsukube_schema (id TINYINT PRIMARY KEY, version INT NOT NULL) ${TABLE}`,
      'INSERT IGNORE INTO tsukube_schema VALUES (1, 0)',
      `CREATE TABLE IF NOT EXISTS tsukube_revision (id TINYINT PRIMARY KEY, newest BIGINT NOT NULL) ${TABLE}`,
      'INSERT IGNORE INTO tsukube_revision VALUES (1, 1)',
      `CREATE TABLE IF NOT EXISTS tsukube_compaction
        (id TINYINT PRIMARY KEY, compacted BIGINT NOT NULL, swept BIGINT NOT NULL) ${TABLE}`,
      'INSERT IGNORE INTO tsukube_compaction VALUES (1, 0, 0)',
      `CREATE TABLE IF NOT EXISTS tsukube_writers
        (writer VARCHAR(36) PRIMARY KEY, batch BIGINT NOT NULL, beats BIGINT NOT NULL, seen DATETIME(3) NOT NULL) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS tsukube_changes (
        revision BIGINT PRIMARY KEY,
        object_key VARBINARY(2048) NOT NULL,
        deleted BOOLEAN NOT NULL,
        previous BIGINT NOT NULL,
        created BIGINT NOT NULL,
        size INT NOT NULL,
        value LONGBLOB,
        written DATETIME(3) NOT NULL,
        INDEX tsukube_changes_of_key (object_key, revision)
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS tsukube_objects (
        object_key VARBINARY(2048) PRIMARY KEY,
        revision BIGINT NOT NULL,
        created BIGINT NOT NULL,
        size INT NOT NULL,
        api_version VARCHAR(253),
        kind VARCHAR(253),
        namespace VARCHAR(253),
        name VARCHAR(253),
        labels JSON,
        expires DATETIME(3),
        INDEX tsukube_objects_expiry (expires)
      ) ${TABLE}`,
      `CREATE OR REPLACE VIEW tsukube_live AS
        SELECT CONVERT(o.object_key USING utf8mb4) AS object_key, o.api_version, o.kind, o.namespace, o.name, o.labels, o.revision,
          o.created, o.expires, c.written, CASE WHEN o.kind IS NOT NULL THEN CONVERT(c.value USING utf8mb4) END AS object
        FROM tsukube_objects o JOIN tsukube_changes c ON c.revision = o.revision`,
    ],
  },
  {
    version: 2,
    statements: ['tsukube_revision.commit_id', 'tsukube_changes.commit_id', 'tsukube_changes.parent_id'].flatMap(addNumber),
  },
];

/** MySQL, unlike MariaDB, has no ADD COLUMN IF NOT EXISTS. */
function addNumber(path: string): string[] {
  const [table, column] = path.split('.');
  const missing = `SELECT COUNT(*) = 0 FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = '${table}' AND column_name = '${column}'`;
  return [
    `SET @change = IF((${missing}), 'ALTER TABLE ${table} ADD COLUMN ${column} BIGINT NOT NULL DEFAULT 0', 'DO 0')`,
    'PREPARE tsukube_change FROM @change',
    'EXECUTE tsukube_change',
    'DEALLOCATE PREPARE tsukube_change',
  ];
}
