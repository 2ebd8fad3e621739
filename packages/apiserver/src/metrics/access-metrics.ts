import { BoundedCache } from '@tsukube/machinery';
import type { Verdict } from '../authorization/authorizer.ts';
import type { AdmissionObserver, AdmissionRecorder, MetricRecorder } from '../registry/admission.ts';
import type { Registry } from './prometheus/registry.ts';
import type { CounterSeries, HistogramSeries } from './prometheus/series.ts';

export interface AuthorizationMetrics {
  /** Counts the final decision on a request. */
  attempted(verdict: Verdict): void;
  /** Counts the decisions of one authorizer. */
  decided(type: string, name: string): (verdict: Verdict) => void;
}

/** Metrics of authorization, under kube-apiserver's names. */
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
  const results = countersBy((result) => attempts.with({ result }));
  return {
    attempted: (verdict) => results(resultOf(verdict)).increase(),
    decided(type, name) {
      const counters = countersBy((decision) => decisions.with({ type, name, decision }));
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

/** Creates each series on first use. */
function countersBy(create: (key: string) => CounterSeries): (key: string) => CounterSeries {
  const known = new Map<string, CounterSeries>();
  return (key) => {
    let counter = known.get(key);
    if (!counter) {
      counter = create(key);
      known.set(key, counter);
    }
    return counter;
  };
}

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Duration of admission, per plugin and per step, under kube-apiserver's names; and the metrics that plugins define. */
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
  const defined = new Map<string, MetricRecorder>();
  const define = (name: string, create: () => MetricRecorder): MetricRecorder => {
    const record = defined.get(name) ?? create();
    defined.set(name, record);
    return record;
  };
  return {
    counter: (metric) =>
      define(metric.name, () => {
        const seriesOf = remembered(metric.labels, registry.counter<string>(metric));
        return (labels, value) => seriesOf(labels).increase(value);
      }),
    histogram: (metric) =>
      define(metric.name, () => {
        const seriesOf = remembered(metric.labels, registry.histogram<string>(metric));
        return (labels, value) => seriesOf(labels).observe(value);
      }),
    plugin: (name, type) => recorder((operation, rejected) => plugins.with({ name, operation, rejected, type })),
    step: (type) => recorder((operation, rejected) => steps.with({ operation, rejected, type })),
  };
}

type Labels = Readonly<Record<string, string>>;
const maxRemembered = 1000;

/** Series by the values of their labels: faster than the lookup of a family, by the text of the labels. */
function remembered<S extends object>(names: readonly string[], family: { with(labels: Labels): S }): (labels: Labels) => S {
  const known = new BoundedCache<string, S>({ entries: maxRemembered });
  return (labels) => {
    let key = '';
    for (const name of names) key += `${labels[name]}\0`;
    return known.getOrCreate(key, () => family.with(labels));
  };
}

/** Creates each series on first use, and looks it up without building a key. */
function recorder(make: (operation: string, rejected: string) => HistogramSeries): AdmissionRecorder {
  const passed = new Map<string, HistogramSeries>();
  const refused = new Map<string, HistogramSeries>();
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

export interface AuthenticationMetrics {
  succeeded(username: string): void;
  /** `failure`: invalid or missing credentials. */
  failed(result: 'error' | 'failure'): void;
}

/** Metrics of authentication, under kube-apiserver's names. User names are not labels, because they are unbounded. */
export function authenticationMetrics(registry: Registry): AuthenticationMetrics {
  const users = registry.counter({
    name: 'authenticated_user_requests',
    help: '[ALPHA] Counter of authenticated requests broken out by username.',
    labels: ['username'],
  });
  const attempts = registry.counter({
    name: 'authentication_attempts',
    help: '[ALPHA] Counter of authenticated attempts.',
    labels: ['result'],
  });
  const byUser = countersBy((username) => users.with({ username }));
  const byResult = countersBy((result) => attempts.with({ result }));
  return {
    succeeded(username) {
      byUser(userKind(username)).increase();
      byResult('success').increase();
    },
    failed: (result) => byResult(result).increase(),
  };
}

const named = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

function userKind(username: string): string {
  if (named.has(username)) return username;
  return username.includes('@') ? 'email_id' : 'other';
}
