export type { AuditOptions } from './audit-trail.ts';
export { type BatchOptions, batchingSink } from './batching-sink.ts';
export { type AuditEvent, eventJson } from './event.ts';
export { legacyLine } from './legacy-line.ts';
export type { AuditPolicy } from './policy.ts';
export { readAuditPolicy } from './read-policy.ts';
export { type AuditSink, lenientSink, type OnLost, unionSink } from './sink.ts';
export { type TruncationOptions, truncatingSink } from './truncating-sink.ts';
