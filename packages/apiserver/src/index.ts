export { type LogFields, type Logger, type LogLevel, silentLogger } from './logger.ts';
