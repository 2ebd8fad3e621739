import type { AdmissionObserver, AdmissionRecorder } from '../admission/admission.ts';
import type { Histogram } from './histogram.ts';
import type { Registry } from './registry.ts';

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
