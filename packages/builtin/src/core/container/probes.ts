import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { isHeaderName, report, requireNonNegative, validatePort } from '../../common/field-validation.ts';

type HandlerCheck = (handler: JsonObject, at: FieldPath, errors: FieldErrors, gracePeriod: number) => void;

/** Handlers of probes and lifecycle hooks, in the order of validation. */
const handlers: Readonly<Record<string, HandlerCheck>> = {
  exec(handler, at, errors) {
    if (textsIn(handler, 'command').length === 0) errors.required(at.child('command'));
  },
  httpGet: validateHttpGet,
  tcpSocket: (handler, at, errors) => validatePort(handler.port, at.child('port'), errors),
  grpc: (handler, at, errors) => validatePort(numberIn(handler, 'port'), at.child('port'), errors),
  sleep(handler, at, errors, gracePeriod) {
    const seconds = numberIn(handler, 'seconds');
    if (seconds >= 0 && seconds <= gracePeriod) return;
    errors.invalid(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`);
  },
};

function validateHttpGet(action: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (textIn(action, 'path') === '') errors.required(at.child('path'));
  validatePort(action.port, at.child('port'), errors);
  const scheme = textIn(action, 'scheme');
  if (scheme !== 'HTTP' && scheme !== 'HTTPS') errors.notSupported(at.child('scheme'), scheme, ['HTTP', 'HTTPS']);
  for (const header of objectsIn(action, 'httpHeaders')) {
    const name = textIn(header, 'name');
    report(isHeaderName(name), at.child('httpHeaders'), name, errors);
  }
}

/** Requires exactly one handler. */
function validateHandler(owner: JsonObject, gracePeriod: number, at: FieldPath, errors: FieldErrors): void {
  let found = false;
  for (const [kind, check] of Object.entries(handlers)) {
    const handler = objectIn(owner, kind);
    if (!handler) continue;
    if (found) errors.forbidden(at.child(kind), 'may not specify more than 1 handler type');
    else check(handler, at.child(kind), errors, gracePeriod);
    found = true;
  }
  if (!found) errors.required(at, 'must specify a handler type');
}

const probeNumbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

/** Validates liveness, readiness and startup probe. */
export function validateProbes(container: JsonObject, gracePeriod: number, at: FieldPath, errors: FieldErrors): void {
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = objectIn(container, name);
    if (probe) validateProbe(name, probe, gracePeriod, at.child(name), errors);
  }
}

function validateProbe(name: string, probe: JsonObject, gracePeriod: number, at: FieldPath, errors: FieldErrors): void {
  validateHandler(probe, gracePeriod, at, errors);
  for (const field of probeNumbers) requireNonNegative(probe, field, at, errors);
  const { terminationGracePeriodSeconds: grace } = probe;
  if (grace !== undefined && Number(grace) <= 0)
    errors.invalid(at.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0');
  if (name === 'readinessProbe') {
    if (grace !== undefined)
      errors.invalid(at.child('terminationGracePeriodSeconds'), grace, 'must not be set for readinessProbes');
  } else if (numberIn(probe, 'successThreshold') !== 1) {
    errors.invalid(at.child('successThreshold'), numberIn(probe, 'successThreshold'), 'must be 1');
  }
}

export function validateLifecycle(container: JsonObject, gracePeriod: number, at: FieldPath, errors: FieldErrors): void {
  const lifecycle = objectIn(container, 'lifecycle');
  for (const hook of ['postStart', 'preStop']) {
    const handler = objectIn(lifecycle, hook);
    if (handler) validateHandler(handler, gracePeriod, at.child('lifecycle', hook), errors);
  }
}
