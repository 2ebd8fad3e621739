import { afterAll, beforeAll, describe } from 'vitest';
import { databaseMissing, type RunningDatabase, startDatabase } from '../../../../tests/support/databases.ts';
import { emptyStore } from '../../../../tests/support/sql-stores.ts';
import { storeContract } from '../contract/index.ts';
import { openMysql } from './index.ts';

describe.skipIf(databaseMissing.mysql)('MariaDB', () => {
  let database: RunningDatabase;
  beforeAll(async () => {
    database = await startDatabase('mysql');
  });
  afterAll(() => database?.stop());

  storeContract('MariaDB', () => emptyStore('mysql', database, () => openMysql({ dsn: database.dsn })));
});
