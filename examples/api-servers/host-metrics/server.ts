import { availableParallelism, freemem, hostname, loadavg, totalmem, uptime } from 'node:os';
import { defineResource, serveAggregated } from '@tsukube/sdk';

/** The figures of this moment. Nothing is stored. */
function measure() {
  const [minute = 0] = loadavg();
  return {
    metadata: { name: hostname().toLowerCase() },
    load: minute.toFixed(2),
    cores: availableParallelism(),
    freeMiB: Math.round(freemem() / 2 ** 20),
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    uptimeSeconds: Math.round(uptime()),
  };
}

const hosts = defineResource({
  group: 'metrics.example.com',
  version: 'v1',
  kind: 'HostMetrics',
  plural: 'hostmetrics',
  scope: 'Cluster',
  schema: {
    type: 'object',
    properties: {
      load: { type: 'string' },
      cores: { type: 'integer' },
      freeMiB: { type: 'integer' },
      memoryMiB: { type: 'integer' },
      uptimeSeconds: { type: 'integer' },
    },
  },
  columns: [
    { name: 'Load', value: '.load' },
    { name: 'Cores', value: '.cores', type: 'integer' },
    { name: 'Memory', value: ({ freeMiB, memoryMiB }) => `${freeMiB}/${memoryMiB} MiB free` },
  ],
  storage: {
    get: ({ name }) => (name === measure().metadata.name ? measure() : undefined),
    list: () => [measure()],
  },
});

const server = await serveAggregated({ resources: [hosts], service: { namespace: 'default', name: 'host-metrics' } });
await server.available();
console.log(`serving on ${server.url}`);
process.once('SIGTERM', () => server.close());
