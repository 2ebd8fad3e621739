export { type Logs, type LogsOptions, logFileName, openLogs } from './logs.ts';
