export type { GivenOptions, ServeOptions } from './config/index.ts';
export { type RunningServer, type StartOptions, startServer } from './start-server.ts';
export { kubernetesVersion } from './version.ts';
