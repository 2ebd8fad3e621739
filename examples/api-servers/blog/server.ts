import { Informer } from '@tsukube/client';
import { defineResource, ObjectChanged, ObjectExists, type ResourceObject, serve } from '@tsukube/sdk';
import { createPool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';

/** The author's own table. A deleted row stays as a tombstone, so that watches see the deletion. */
const table = `CREATE TABLE IF NOT EXISTS posts (
  namespace VARCHAR(63) NOT NULL, name VARCHAR(253) NOT NULL, title VARCHAR(200) NOT NULL, body TEXT NOT NULL,
  metadata JSON NOT NULL, version BIGINT NOT NULL UNIQUE, deleted BOOLEAN NOT NULL DEFAULT FALSE, PRIMARY KEY (namespace, name))`;
const counter = 'CREATE TABLE IF NOT EXISTS version (id INT PRIMARY KEY, last BIGINT NOT NULL)';

interface Row extends RowDataPacket {
  readonly namespace: string;
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly metadata: object | string;
  readonly version: number;
  readonly deleted: number;
}

const database = createPool({ uri: process.env.DATABASE_URL ?? 'mysql://root@127.0.0.1/blog', connectionLimit: 5 });
await database.query(table);
await database.query(counter);
await database.query('INSERT IGNORE INTO version VALUES (1, 1)');

const postOf = ({ namespace, name, title, body, metadata, version }: Row) => ({
  metadata: {
    ...(typeof metadata === 'string' ? JSON.parse(metadata) : metadata),
    namespace,
    name,
    resourceVersion: String(version),
  },
  title,
  body,
});
const select = async (where: string, values: unknown[]) =>
  (await database.query<Row[]>(`SELECT * FROM posts WHERE ${where}`, values))[0];

/** Runs statements with the next version; returns the number of rows of the last. The lock on the counter orders all writes. */
async function write(...statements: ((version: number) => [sql: string, values: unknown[]])[]): Promise<number> {
  const connection = await database.getConnection();
  try {
    await connection.beginTransaction();
    await connection.query('UPDATE version SET last = last + 1');
    const [[next]] = await connection.query<RowDataPacket[]>('SELECT last FROM version');
    let rows = 0;
    for (const statement of statements) {
      const [result] = await connection.query<ResultSetHeader>(...statement(next?.last));
      rows = result.affectedRows;
    }
    await connection.commit();
    return rows;
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}

const posts = defineResource({
  group: 'blog.example.com',
  version: 'v1',
  kind: 'Post',
  schema: {
    type: 'object',
    required: ['title'],
    properties: { title: { type: 'string', minLength: 1, maxLength: 200 }, body: { type: 'string', default: '' } },
  },
  columns: [
    { name: 'Title', value: '.title' },
    { name: 'Words', type: 'integer', value: ({ body }) => body.split(/\s+/).filter(Boolean).length },
  ],
  storage: {
    async get({ namespace, name }) {
      const [row] = await select('namespace = ? AND name = ? AND NOT deleted', [namespace, name]);
      return row && postOf(row);
    },
    async list({ namespace }) {
      const [[version]] = await database.query<RowDataPacket[]>('SELECT last FROM version');
      const rows = await select('NOT deleted AND (? IS NULL OR namespace = ?)', [namespace ?? null, namespace ?? null]);
      return { items: rows.map(postOf), resourceVersion: String(version?.last) };
    },
    async create({ metadata, title, body }) {
      const { namespace, name, ...rest } = metadata;
      const row = (version: number) => [namespace, name, title, body, JSON.stringify(rest), version];
      try {
        await write(
          () => ['DELETE FROM posts WHERE namespace = ? AND name = ? AND deleted', [namespace, name]],
          (version) => ['INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?, FALSE)', row(version)],
        );
      } catch (error) {
        throw (error as { code?: string }).code === 'ER_DUP_ENTRY' ? new ObjectExists() : error;
      }
      return undefined;
    },
    async update({ metadata, title, body }, { old }) {
      const { namespace, name, ...rest } = metadata;
      const sql =
        'UPDATE posts SET title = ?, body = ?, metadata = ?, version = ? WHERE namespace = ? AND name = ? AND version = ?';
      const was = old.metadata.resourceVersion;
      const written = await write((version) => [sql, [title, body, JSON.stringify(rest), version, namespace, name, was]]);
      if (written === 0) throw new ObjectChanged();
      return undefined;
    },
    async delete({ namespace, name, resourceVersion }) {
      const sql = 'UPDATE posts SET deleted = TRUE, version = ? WHERE namespace = ? AND name = ? AND version = ?';
      if ((await write((version) => [sql, [version, namespace, name, resourceVersion]])) === 0) throw new ObjectChanged();
    },
    /** Polls the table five times a second for newer versions, including those of other writers. */
    async *watch({ resourceVersion, signal }) {
      for (let last = Number(resourceVersion); !signal.aborted; await new Promise((resolve) => setTimeout(resolve, 200)))
        for (const row of await select('version > ? ORDER BY version LIMIT 1000', [last])) {
          last = row.version;
          yield { type: row.deleted ? 'DELETED' : 'MODIFIED', object: postOf(row) };
        }
    },
  },
});
type Post = ResourceObject<typeof posts>;

const { PORT = '6445', KUBECONFIG_OUT = 'blog.kubeconfig' } = process.env;
const server = await serve({ resources: [posts], port: Number(PORT), kubeconfig: KUBECONFIG_OUT });
console.log(`serving on ${server.url}`);

const client = await server.client();
const informer = new Informer(client.resource<Post>('blog.example.com/v1/posts'));
informer.addHandler({ onAdd: ({ metadata, title }) => console.log(`post ${metadata.name}: ${title}`) });
const abort = new AbortController();
const informing = informer.run(abort.signal);

process.once('SIGTERM', async () => {
  abort.abort();
  await informing;
  await client.close();
  await server.close();
  await database.end();
});
