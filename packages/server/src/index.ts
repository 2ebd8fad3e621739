export { kubernetesVersion } from '@tsukube/apiserver';
export type { GivenOptions, ServeOptions } from './config/index.ts';
export { checkDataDir, type DataDirCheck, type DataDirRepair, repairDataDir } from './files/maintenance.ts';
export { ownFile } from './processes/process-group.ts';
export { WriterLink } from './processes/writer-link.ts';
export { type RunningServer, type StartOptions, startServer, startWorker } from './start-server.ts';
