import { afterAll, beforeAll, describe } from 'vitest';
import { databaseMissing, type RunningDatabase, startDatabase } from '../../../../tests/support/databases.ts';
import { emptyStore } from '../../../../tests/support/sql-stores.ts';
import { storeContract } from '../contract/index.ts';
import { openPostgres } from './index.ts';

describe.skipIf(databaseMissing.postgres)('PostgreSQL', () => {
  let database: RunningDatabase;
  beforeAll(async () => {
    database = await startDatabase('postgres');
  });
  afterAll(() => database?.stop());

  storeContract('PostgreSQL', () => emptyStore('postgres', database, () => openPostgres({ dsn: database.dsn })));
});
