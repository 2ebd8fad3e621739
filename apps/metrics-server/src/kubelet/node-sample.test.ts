import { expect, it } from 'vitest';
import { NodeSampleReader } from './node-sample.ts';

function read(text: string) {
  const reader = new NodeSampleReader(5_000);
  reader.push(Buffer.from(text));
  return reader.end();
}

const container = (name: string) => `{container="${name}",namespace="default",pod="web"}`;

it('collects the node and its pods', () => {
  const sample = read(`# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total 12.5 1700000001000
node_memory_working_set_bytes 4096 1700000002000
container_cpu_usage_seconds_total${container('a')} 3 1700000003000
container_cpu_usage_seconds_total${container('b')} 4
container_memory_working_set_bytes${container('a')} 100 1700000003500
container_memory_working_set_bytes${container('b')} 200
container_start_time_seconds${container('a')} 1.7e+09
pod_cpu_usage_seconds_total{namespace="default",pod="web"} 7 1700000003000
pod_memory_working_set_bytes{namespace="default",pod="web"} 300 1700000003000
resource_scrape_error 0
`);
  expect(sample).toEqual({
    node: { timestampMs: 1700000001000, cpuSeconds: 12.5, memoryBytes: 4096, startMs: 0 },
    pods: [
      {
        namespace: 'default',
        name: 'web',
        containers: [
          { name: 'a', point: { timestampMs: 1700000003000, cpuSeconds: 3, memoryBytes: 100, startMs: 1.7e12 } },
          { name: 'b', point: { timestampMs: 5_000, cpuSeconds: 4, memoryBytes: 200, startMs: 0 } },
        ],
      },
    ],
  });
});

it.each([
  ['no memory', 'node_cpu_usage_seconds_total 12.5', `container_cpu_usage_seconds_total${container('a')} 3`],
  ['no CPU', 'node_memory_working_set_bytes 12', `container_memory_working_set_bytes${container('a')} 3`],
  [
    'zeros',
    'node_memory_working_set_bytes 0\nnode_cpu_usage_seconds_total 1',
    `container_memory_working_set_bytes${container('a')} 3\ncontainer_cpu_usage_seconds_total${container('a')} 0`,
  ],
  [
    'NaN',
    'node_memory_working_set_bytes NaN\nnode_cpu_usage_seconds_total 1',
    `container_memory_working_set_bytes${container('a')} -3\ncontainer_cpu_usage_seconds_total${container('a')} 1`,
  ],
])('incomplete points are left out: %s', (_, node, pod) => {
  expect(read(`${node}\n${pod}\n`)).toEqual({ node: undefined, pods: [] });
});

it('a pod with an incomplete container is left out', () => {
  const complete = (name: string) =>
    `container_cpu_usage_seconds_total${container(name)} 3\ncontainer_memory_working_set_bytes${container(name)} 3\n`;
  expect(read(complete('a')).pods).toHaveLength(1);
  expect(read(`${complete('a')}container_start_time_seconds${container('b')} 1\n`).pods).toEqual([]);
});

it('limits the number of containers', () => {
  const lines = Array.from({ length: 10_001 }, (_, i) => `container_start_time_seconds${container(`c${i}`)} 1\n`);
  expect(() => read(lines.join(''))).toThrow('more than 10000 containers');
});
