import type { Verdict } from '../authorization/authorizer.ts';
import type { AdmissionObserver, AdmissionRecorder } from '../registry/admission.ts';
import type { Registry } from './prometheus/registry.ts';
import type { Counter, Histogram } from './prometheus/series.ts';

export interface AuthorizationMetrics {
  /** Counts what became of a request. */
  attempted(verdict: Verdict): void;
  /** Counts what one of the authorizers decided, if it did. */
  decided(type: string, name: string): (verdict: Verdict) => void;
}

/** What is measured of authorization, with kube-apiserver's names. */
export function authorizationMetrics(registry: Registry): AuthorizationMetrics {
  const attempts = registry.counter({
    name: 'authorization_attempts_total',
    help: "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ['result'],
  });
  const decisions = registry.counter({
    name: 'apiserver_authorization_decisions_total',
    help: '[ALPHA] Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.',
    labels: ['type', 'name', 'decision'],
  });
  const results = remembered((result) => attempts.with({ result }));
  return {
    attempted: (verdict) => results(resultOf(verdict)).increase(),
    decided(type, name) {
      const counters = remembered((decision) => decisions.with({ type, name, decision }));
      return ({ decision }) => {
        if (decision !== 'no opinion') counters(decision === 'allow' ? 'allowed' : 'denied').increase();
      };
    },
  };
}

function resultOf({ decision, error }: Verdict): string {
  if (decision === 'allow') return 'allowed';
  if (error !== undefined) return 'error';
  return decision === 'deny' ? 'denied' : 'no-opinion';
}

/** Counters appear when there is something to count. */
function remembered(make: (key: string) => Counter): (key: string) => Counter {
  const known = new Map<string, Counter>();
  return (key) => {
    let counter = known.get(key);
    if (!counter) {
      counter = make(key);
      known.set(key, counter);
    }
    return counter;
  };
}

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Durations of admission, of each plugin and of each step, with kube-apiserver's names. */
export function admissionMetrics(registry: Registry): AdmissionObserver {
  const plugins = registry.histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: '[STABLE] Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'rejected', 'type'],
    bounds,
  });
  const steps = registry.histogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: '[STABLE] Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    labels: ['operation', 'rejected', 'type'],
    bounds,
  });
  return {
    plugin: (name, type) => recorder((operation, rejected) => plugins.with({ name, operation, rejected, type })),
    step: (type) => recorder((operation, rejected) => steps.with({ operation, rejected, type })),
  };
}

/** Series are made when there is something to record, and looked up without building a key. */
function recorder(make: (operation: string, rejected: string) => Histogram): AdmissionRecorder {
  const passed = new Map<string, Histogram>();
  const refused = new Map<string, Histogram>();
  return (operation, milliseconds, isRejected) => {
    const known = isRejected ? refused : passed;
    let series = known.get(operation);
    if (!series) {
      series = make(operation, String(isRejected));
      known.set(operation, series);
    }
    series.observe(milliseconds / 1000);
  };
}
