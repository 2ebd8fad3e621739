export { kubernetesVersion } from '@tsukube/apiserver';
export type { GivenOptions, ServeOptions } from './config/index.ts';
export {
  checkDataDir,
  type DataDirCheck,
  type DataDirRepair,
  type DataDirSnapshot,
  repairDataDir,
  restoreDataDirSnapshot,
  saveDataDirSnapshot,
} from './files/maintenance.ts';
export { ownFile } from './processes/process-group.ts';
export { WriterLink } from './processes/writer-link.ts';
export { type MigrationReport, migrateStore } from './registries/migrate.ts';
export { type RunningServer, type StartOptions, startServer, startWorker } from './start-server.ts';
