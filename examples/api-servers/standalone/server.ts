import { defineResource, path, serve } from '@tsukube/sdk';

const group = 'infra.example.com';
const version = 'v1';

const machines = defineResource({
  group,
  version,
  kind: 'VirtualMachine',
  shortNames: ['vm'],
  categories: ['infra'],
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['cpus', 'memory'],
        properties: {
          cpus: { type: 'integer', minimum: 1, maximum: 64 },
          memory: { type: 'string', pattern: '^[0-9]+(Mi|Gi)$' },
          node: { type: 'string' },
          running: { type: 'boolean', default: false },
        },
      },
      status: { type: 'object', properties: { phase: { type: 'string' }, address: { type: 'string' } } },
    },
  },
  status: true,
  selectableFields: ['.spec.node'],
  columns: [
    { name: 'CPUs', type: 'integer', value: '.spec.cpus' },
    { name: 'Memory', value: '.spec.memory' },
    { name: 'Node', value: (machine) => machine.spec.node ?? '<none>' },
    { name: 'Phase', value: (machine) => machine.status?.phase ?? (machine.spec.running ? 'Starting' : 'Stopped') },
  ],
  strategy: {
    prepareForCreate(machine, { user }) {
      machine.metadata.labels = { ...machine.metadata.labels, 'infra.example.com/owner': user.name };
    },
    validate(machine, errors, old) {
      if (old?.spec.running && machine.spec.cpus !== old.spec.cpus)
        errors.forbidden(path('spec', 'cpus'), 'stop the machine before you change it');
    },
  },
});

const nodes = defineResource({
  group,
  version,
  kind: 'PhysicalNode',
  shortNames: ['pn'],
  categories: ['infra'],
  scope: 'Cluster',
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['address', 'cpus'],
        properties: { address: { type: 'string', format: 'ipv4' }, cpus: { type: 'integer' }, cordoned: { type: 'boolean' } },
      },
    },
  },
  columns: [
    { name: 'Address', value: '.spec.address' },
    { name: 'CPUs', type: 'integer', value: '.spec.cpus' },
    { name: 'Status', value: (node) => (node.spec.cordoned ? 'Cordoned' : 'Ready') },
  ],
});

const pools = defineResource({
  group,
  version,
  kind: 'StoragePool',
  categories: ['infra'],
  scope: 'Cluster',
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['driver', 'capacityGiB'],
        properties: {
          driver: { type: 'string', enum: ['lvm', 'zfs', 'ceph'] },
          capacityGiB: { type: 'integer', minimum: 1 },
          usedGiB: { type: 'integer', default: 0 },
        },
      },
    },
  },
  columns: [
    { name: 'Driver', value: '.spec.driver' },
    { name: 'Used', value: ({ spec }) => `${Math.round((100 * spec.usedGiB) / spec.capacityGiB)}%` },
  ],
});

const networks = defineResource({
  group,
  version,
  kind: 'NetPool',
  categories: ['infra'],
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['cidr'],
        properties: { cidr: { type: 'string', format: 'cidr' }, vlan: { type: 'integer', minimum: 1, maximum: 4094 } },
      },
    },
  },
  columns: [
    { name: 'CIDR', value: '.spec.cidr' },
    { name: 'VLAN', type: 'integer', value: '.spec.vlan' },
  ],
});

const { ETCD_SERVERS, DATA_DIR = '.infra', PORT = '6444' } = process.env;
const server = await serve({
  resources: [machines, nodes, pools, networks],
  storage: ETCD_SERVERS ? { etcd: ETCD_SERVERS.split(',') } : { lmdb: DATA_DIR },
  certificates: `${DATA_DIR}/pki`,
  kubeconfig: `${DATA_DIR}/kubeconfig`,
  port: Number(PORT),
});
console.log(`serving on ${server.url}`);
process.once('SIGTERM', () => server.close());
