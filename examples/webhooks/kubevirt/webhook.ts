import { mutate, serveWebhooks, validate } from '@tsukube/sdk';

/** The fields of a KubeVirt VirtualMachine that are defaulted here. */
interface VirtualMachine {
  apiVersion: string;
  kind: string;
  metadata: { name?: string; labels?: Record<string, string> };
  spec: {
    runStrategy?: string;
    template: {
      spec: {
        architecture?: string;
        evictionStrategy?: string;
        terminationGracePeriodSeconds?: number;
        domain: { machine?: { type?: string } };
      };
    };
  };
}

const defaults = mutate<VirtualMachine>(
  { group: 'kubevirt.io', resource: 'virtualmachines', operations: ['CREATE', 'UPDATE'] },
  ({ object: { spec } }) => {
    const machine = spec.template.spec;
    spec.runStrategy ??= 'Always';
    machine.architecture ??= 'amd64';
    machine.evictionStrategy ??= 'LiveMigrate';
    machine.terminationGracePeriodSeconds ??= 180;
    machine.domain.machine = { type: 'q35', ...machine.domain.machine };
  },
);

/** The pod of a virtual machine is named after it: virt-launcher-NAME-xxxxx. */
const evictions = validate({ resource: 'pods', subresource: 'eviction', operations: ['CREATE'] }, ({ name, namespace, deny }) => {
  if (name.startsWith('virt-launcher-')) deny(`pod ${namespace}/${name} runs a virtual machine: migrate it instead`);
});

const namespace = process.env.WEBHOOK_NAMESPACE;
const server = await serveWebhooks([defaults, evictions], {
  name: 'kubevirt-webhooks',
  ...(namespace && { service: { namespace, name: 'kubevirt-webhooks', create: true } }),
});
console.log(`serving on ${server.url}`);
process.once('SIGTERM', () => server.close());
