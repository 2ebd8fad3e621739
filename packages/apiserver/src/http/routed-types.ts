import { StatusError } from '@tsukube/machinery';
import { acceptClauses } from './accept.ts';

/** The router in front of Kubernetes' built-in kinds compares types as they are written and knows no pattern but the widest. */
export function isRouted(accept: string, types: readonly string[]): boolean {
  if (accept === '') return true;
  return acceptClauses(accept).some(({ written }) => written === '*/*' || types.includes(written));
}

export function notRouted(types: readonly string[]): StatusError {
  return StatusError.generic(406, `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`);
}
