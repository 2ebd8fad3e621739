export type { AuditOptions } from './audit-trail.ts';
export { type AuditEvent, eventJson, legacyFormat } from './event.ts';
export { type AuditPolicy, readAuditPolicy } from './policy.ts';
export {
  type AuditSink,
  type BatchOptions,
  batchingSink,
  lenientSink,
  type OnLost,
  type TruncationOptions,
  truncatingSink,
  unionSink,
} from './sink.ts';
