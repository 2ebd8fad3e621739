export type { FieldError, FieldErrorReason, ShownValue } from './field-errors.ts';
export { FieldErrors } from './field-errors.ts';
export { FieldPath, path } from './field-path.ts';
export type { RequestSubject } from './generic-response.ts';
export type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';
export { statusBody } from './status.ts';
export { StatusError } from './status-error.ts';
