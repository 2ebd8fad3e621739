import { StatusError } from '@tsukube/machinery';
import { type AuditOptions, AuditTrail } from '../audit/audit-trail.ts';
import type { Filter } from './filter.ts';

/** Stands before authentication: those who cannot say who they are leave a trace as well. */
export function auditFailedAuthentication(options: AuditOptions): Filter {
  const trail = new AuditTrail(options);
  return function noteStranger(request, next) {
    request.annotations = new Map();
    const refused = (error: unknown): unknown => {
      if (request.notes === undefined && error instanceof StatusError && error.code === 401) trail.stranger(request, error);
      return error;
    };
    try {
      const answer = next(request);
      return answer instanceof Promise
        ? answer.catch((error) => {
            throw refused(error);
          })
        : answer;
    } catch (error) {
      throw refused(error);
    }
  };
}

/** Stands behind authentication: takes down who asked for what, and what became of it, as the policy has it. */
export function audit(options: AuditOptions): Filter {
  const trail = new AuditTrail(options);
  return function takeDown(request, next) {
    const record = trail.begin(request);
    if (!record) return next(request);
    const stored = trail.reach(record, 'RequestReceived');
    if (stored instanceof Promise) return stored.then((ok) => (ok ? trail.follow(record, request, next) : trail.refuse(request)));
    return stored ? trail.follow(record, request, next) : trail.refuse(request);
  };
}
