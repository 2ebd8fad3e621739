import type { HostTotals } from './proc.ts';
import type { ProcessContainer, ProcessPod } from './process-pods.ts';

interface Series {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly lines: readonly string[];
}

/** The figures as `/metrics/resource` of a kubelet, Kubernetes 1.36. `timestampMs` is the time of measurement. */
export function resourceMetrics(
  { cpuSeconds, workingSetBytes }: HostTotals,
  pods: readonly ProcessPod[],
  namespace: string,
  timestampMs: number,
): string {
  const containers = (value: (container: ProcessContainer) => string) =>
    pods.flatMap((pod) =>
      pod.containers.map((each) => `{container="${each.name}",namespace="${namespace}",pod="${pod.name}"} ${value(each)}`),
    );
  const sums = (value: (container: ProcessContainer) => number) =>
    pods.map(
      (pod) =>
        `{namespace="${namespace}",pod="${pod.name}"} ${pod.containers.reduce((sum, each) => sum + value(each), 0)} ${timestampMs}`,
    );
  const series: Series[] = [
    {
      name: 'container_cpu_usage_seconds_total',
      type: 'counter',
      help: 'Cumulative cpu time consumed by the container in core-seconds',
      lines: containers((each) => `${each.cpuSeconds} ${timestampMs}`),
    },
    {
      name: 'container_memory_working_set_bytes',
      type: 'gauge',
      help: 'Current working set of the container in bytes',
      lines: containers((each) => `${each.residentBytes} ${timestampMs}`),
    },
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: 'Start time of the container since unix epoch in seconds',
      lines: containers((each) => String(each.startMs / 1000)),
    },
    {
      name: 'node_cpu_usage_seconds_total',
      type: 'counter',
      help: 'Cumulative cpu time consumed by the node in core-seconds',
      lines: [` ${cpuSeconds} ${timestampMs}`],
    },
    {
      name: 'node_memory_working_set_bytes',
      type: 'gauge',
      help: 'Current working set of the node in bytes',
      lines: [` ${workingSetBytes} ${timestampMs}`],
    },
    {
      name: 'pod_cpu_usage_seconds_total',
      type: 'counter',
      help: 'Cumulative cpu time consumed by the pod in core-seconds',
      lines: sums((each) => each.cpuSeconds),
    },
    {
      name: 'pod_memory_working_set_bytes',
      type: 'gauge',
      help: 'Current working set of the pod in bytes',
      lines: sums((each) => each.residentBytes),
    },
    {
      name: 'resource_scrape_error',
      type: 'gauge',
      help: '1 if there was an error while getting container metrics, 0 otherwise',
      lines: [' 0'],
    },
  ];
  return series.map(seriesText).join('');
}

function seriesText({ name, type, help, lines }: Series): string {
  if (lines.length === 0) return '';
  return `# HELP ${name} [STABLE] ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${name}${line}\n`).join('')}`;
}
