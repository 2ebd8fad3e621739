import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { databaseMissing, startDatabase } from '../support/databases.ts';
import { describeReplay } from './replay.ts';

/** Few recordings in `npm test`; all with GOLDEN_SQL=all. */
const prefixes =
  process.env.GOLDEN_SQL === 'all' ? [''] : ['apply', 'crd/versions', 'lifecycle', 'lists', 'patch', 'watch', 'write'];

for (const kind of ['postgres', 'mysql'] as const) {
  if (databaseMissing[kind]) {
    describe.skip(`${databaseMissing[kind]}`, () => {});
    continue;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-golden-'));
  const database = await startDatabase(kind);
  describe(`on ${kind}`, () => {
    afterAll(async () => {
      await database.stop();
      rmSync(dataDir, { recursive: true });
    });
    const options = { storage: kind, storageDsn: database.dsn, dataDir };
    describeReplay('recorded answers of kube-apiserver', options, prefixes);
  });
}
