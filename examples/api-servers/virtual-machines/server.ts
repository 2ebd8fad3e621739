import { defineResource, StatusError, type SubresourceHandler, serveAggregated } from '@tsukube/sdk';

type Phase = 'Stopped' | 'Running' | 'Paused';
type Machine = { status?: { phase?: string } };

/** A PUT that changes the phase, unless the machine is in another phase than those allowed. */
function change(phase: Phase, ...from: Phase[]): { put: SubresourceHandler<Machine> } {
  const put: SubresourceHandler<Machine> = (request) =>
    request.updateStatus((machine) => {
      const before = (machine.status?.phase ?? 'Stopped') as Phase;
      if (!from.includes(before)) throw StatusError.badRequest(`${request.name} is ${before}, not ${from.join(' or ')}`);
      machine.status = { phase };
    });
  return { put };
}

const machines = defineResource({
  group: 'vm.example.com',
  version: 'v1',
  kind: 'VirtualMachine',
  shortNames: ['vm'],
  schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { cores: { type: 'integer', minimum: 1 } }, required: ['cores'] },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
    required: ['spec'],
  },
  status: true,
  columns: [
    { name: 'Cores', value: '.spec.cores', type: 'integer' },
    { name: 'Phase', value: ({ status }) => status?.phase ?? 'Stopped' },
  ],
  subresources: {
    start: change('Running', 'Stopped', 'Paused'),
    pause: change('Paused', 'Running'),
    stop: change('Stopped', 'Running', 'Paused'),
    console: {
      webSocket: {
        async connect(socket, request) {
          const { status } = await request.object();
          if (status?.phase !== 'Running') return socket.close(1008, `${request.name} is not running`);
          socket.on('message', (line) => socket.send(`${request.name}: ${line}`));
          socket.send(`${request.name} login: ${request.user.name}`);
        },
      },
    },
  },
});

const server = await serveAggregated({ resources: [machines], service: { namespace: 'default', name: 'virtual-machines' } });
await server.available();
console.log(`serving on ${server.url}`);
process.once('SIGTERM', () => server.close());
