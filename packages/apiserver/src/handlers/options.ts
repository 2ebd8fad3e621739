import { FieldErrors, path, StatusError, validateFieldManager } from '@tsukube/machinery';
import type { ResourceRequest } from '../http/request.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const noOptions: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn' };
const validations = ['', 'Ignore', 'Strict', 'Warn'];

/** `kind` is the options' own: CreateOptions, UpdateOptions, PatchOptions. Fails with 422. */
export function writeOptions(request: ResourceRequest, kind: string): WriteOptions {
  if (!request.exchange.url.includes('?')) return noOptions;
  const { query } = request;
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors = new FieldErrors();
  if (fieldManager !== '') validateFieldManager(fieldManager, path('fieldManager'), errors);
  validateDryRun(dryRun, errors);
  if (!validations.includes(fieldValidation)) errors.notSupported(path('fieldValidation'), fieldValidation, validations);
  if (errors.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return { dryRun: dryRun.length > 0, fieldManager, fieldValidation: (fieldValidation || 'Warn') as FieldValidation };
}

export function validateDryRun(dryRun: readonly string[], errors: FieldErrors): void {
  if (dryRun.some((value) => value !== 'All')) errors.notSupported(path('dryRun'), [...dryRun], ['All']);
}
