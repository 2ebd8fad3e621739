export { kubernetesVersion } from '@tsukube/apiserver';
export type { GivenOptions, ServeOptions } from './config/index.ts';
export { checkDataDir, type DataDirCheck, type DataDirRepair, repairDataDir } from './files/maintenance.ts';
export { type RunningServer, type StartOptions, startServer } from './start-server.ts';
