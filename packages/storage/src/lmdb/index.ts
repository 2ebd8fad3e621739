export { type CheckReport, checkDatabase, type ValueProblem } from './file/check.ts';
export { DamagedDatabase } from './file/database-file.ts';
export { openLmdb } from './open-lmdb.ts';
export type { LmdbLogger, LmdbOptions, SharedLmdb } from './options.ts';
export { type SalvageReport, salvageDatabase } from './salvage.ts';
export { BadSnapshot, restoreSnapshot, type SnapshotReport, saveSnapshot } from './snapshot.ts';
