import { FieldErrors, path } from '@tsukube/machinery';
import type { Definition } from '../definition/definition.ts';
import type { NewCondition } from './conditions.ts';

/** Definitions of the past may keep fields that no schema knows. All others have been refused unless they are structural. */
export function nonStructuralCondition({ preserveUnknownFields }: Definition): NewCondition | undefined {
  if (!preserveUnknownFields) return undefined;
  const errors = new FieldErrors();
  errors.invalid(path('spec', 'preserveUnknownFields'), true, 'must be false');
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: String(errors) };
}
