export { type FieldError, type FieldErrorReason, FieldErrors, type ShownValue } from './field-errors.ts';
export { FieldPath, path } from './field-path.ts';
export { type Status, type StatusCause, type StatusDetails, type StatusReason, statusBody } from './status.ts';
export type { RequestSubject } from './status-error.ts';
export { StatusError } from './status-error.ts';
