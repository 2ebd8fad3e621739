import { StatusError } from '@tsukube/machinery';
import { type AuditOptions, AuditTrail } from '../audit/audit-trail.ts';
import type { Filter } from './filter.ts';

/** Audits requests that fail authentication. Runs before authentication. */
export function auditFailedAuthentication(options: AuditOptions): Filter {
  const trail = new AuditTrail(options);
  return function auditFailure(request, next) {
    request.annotations = new Map();
    const refused = (error: unknown): unknown => {
      if (request.notes === undefined && error instanceof StatusError && error.code === 401)
        trail.failedAuthentication(request, error);
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

/** Emits audit events by the policy. Runs after authentication. */
export function audit(options: AuditOptions): Filter {
  const trail = new AuditTrail(options);
  return function auditRequest(request, next) {
    const record = trail.begin(request);
    if (!record) return next(request);
    const stored = trail.reach(record, 'RequestReceived');
    if (stored instanceof Promise) return stored.then((ok) => (ok ? trail.follow(record, request, next) : trail.refuse(request)));
    return stored ? trail.follow(record, request, next) : trail.refuse(request);
  };
}
