import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../../tests/support/databases.ts', import.meta.url));

/** Flags with which a commit is on the disk before it is acknowledged; the tests go without. */
const durable = { postgres: ['-c', 'fsync=on'], mysql: ['--innodb-flush-method=fsync'] };

/**
 * Starts an empty PostgreSQL or MariaDB, as the tests do.
 * @param {'postgres' | 'mysql'} kind
 * @returns {Promise<{ dsn: string, stop(): Promise<void> }>}
 */
export async function startDatabase(kind) {
  const { outputFiles } = await build({
    entryPoints: [source],
    absWorkingDir: dirname(source),
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(source).href) },
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  const databases = await import(`data:text/javascript;base64,${code}`);
  return databases.startDatabase(kind, { args: durable[kind] });
}
