export { completeOptions } from './complete.ts';
export { serveHelp } from './help.ts';
export type { GivenOptions, ServeOptions } from './options.ts';
export { parseServeOptions } from './parse.ts';
export { isServed } from './runtime-config.ts';
export { serviceRanges } from './service-ranges.ts';
export { tlsSettings } from './tls-settings.ts';
export { UsageError } from './usage-error.ts';
export { flagsAndValues } from './values.ts';
