import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Terminal, useWorkplace } from '../kubectl/terminal.ts';
import { kubectls } from '../kubectl/versions.ts';
import { useServer } from '../support/server.ts';
import { exampleFile, startProgram } from './example-process.ts';

/** The same tests with another API server: WEBHOOK_PEER is the path of its kubeconfig. */
const peer = process.env.WEBHOOK_PEER;
const kubectl = kubectls.at(-1);
const hasAddress = Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal));
/** A kube-apiserver without kube-proxy does not reach Services. */
const ways = ['URL', ...(hasAddress && !peer ? ['Service'] : [])];

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: virtualmachines.kubevirt.io}
spec:
  group: kubevirt.io
  scope: Namespaced
  names: {plural: virtualmachines, singular: virtualmachine, kind: VirtualMachine, shortNames: [vm]}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;
const machine = `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db}
spec: {template: {spec: {domain: {machine: {type: pc}, memory: {guest: 1Gi}}}}}
`;
const pod = (name: string, label = '') => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {sidecar: ${label || 'none'}}}
spec: {containers: [{name: app, image: nginx}]}
`;
const eviction = (name: string) => JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

if (!hasAddress) it.skip('examples registered by Service: this host has no address for an EndpointSlice', () => {});

describe.skipIf(!kubectl).each(ways)('examples registered by %s', (way) => {
  const t = useServer();
  const kubeconfig = () => (peer ? readFileSync(peer, 'utf8') : t.server.kubeconfig);
  const workplace = useWorkplace(kubectl as NonNullable<typeof kubectl>, kubeconfig);

  /** A terminal in a new namespace, and the program, registered for it. */
  async function start(example: string): Promise<{ terminal: Terminal; stop: () => Promise<number | null> }> {
    const namespace = `${example}-${way.toLowerCase()}-${process.pid}`;
    const terminal = workplace.terminal(namespace);
    await terminal.run(`kubectl create namespace ${namespace}`);
    await terminal.run('kubectl create serviceaccount default');
    const program = await startProgram(exampleFile(example), {
      KUBECONFIG: workplace.shell(namespace).env.KUBECONFIG,
      ...(way === 'Service' && { WEBHOOK_NAMESPACE: namespace }),
    });
    const stop = async () => {
      const code = await program.stop();
      await terminal.run(
        `kubectl delete mutatingwebhookconfiguration,validatingwebhookconfiguration ${configurationOf[example]}`,
      );
      await terminal.run(`kubectl delete namespace ${namespace} --wait=false`);
      return code;
    };
    return { terminal, stop };
  }

  it('kubevirt: defaults for virtual machines, and no evictions of their pods', { timeout: 90_000 }, async () => {
    const { terminal, stop } = await start('kubevirt');
    try {
      await terminal.run(`kubectl apply -f - <<'END'\n${crd}END`);
      await terminal.run('kubectl wait --for=condition=Established crd/virtualmachines.kubevirt.io');
      const create = `kubectl create --dry-run=server -o json -f - <<'END'\n${machine}END`;
      await expect.poll(() => terminal.run(create), { timeout: 20_000, interval: 300 }).toContain('"runStrategy": "Always"');
      await terminal.run(create.replace('--dry-run=server ', ''));
      expect(JSON.parse(await terminal.run('kubectl get vm db -o json')).spec).toEqual({
        runStrategy: 'Always',
        template: {
          spec: {
            architecture: 'amd64',
            evictionStrategy: 'LiveMigrate',
            terminationGracePeriodSeconds: 180,
            domain: { machine: { type: 'pc' }, memory: { guest: '1Gi' } },
          },
        },
      });
      const namespace = (await terminal.run("kubectl get vm db -o jsonpath='{.metadata.namespace}'")).trim();
      const evict = (name: string) =>
        terminal.run(
          `kubectl create --raw /api/v1/namespaces/${namespace}/pods/${name}/eviction -f - <<'END'\n${eviction(name)}\nEND`,
        );
      for (const name of ['virt-launcher-db-x7k2p', 'web']) await terminal.run(`kubectl create -f - <<'END'\n${pod(name)}END`);
      expect(await evict('virt-launcher-db-x7k2p')).toBe(
        `Error from server (Forbidden): admission webhook "pods-eviction.kubevirt-webhooks.webhook" denied the request: pod ${namespace}/virt-launcher-db-x7k2p runs a virtual machine: migrate it instead\n[exit 1]\n`,
      );
      expect(JSON.parse(await evict('web'))).toMatchObject({ kind: 'Status', status: 'Success' });
    } finally {
      expect(await stop()).toBe(0);
    }
  });

  it('sidecar-injector: containers for labelled pods in labelled namespaces', { timeout: 90_000 }, async () => {
    const { terminal, stop } = await start('sidecar-injector');
    try {
      const create = (name: string, label: string) =>
        terminal.run(`kubectl create --dry-run=server -o json -f - <<'END'\n${pod(name, label)}END`);
      expect(await create('web', 'logger')).not.toContain('busybox');
      await terminal.run("kubectl label namespace $(kubectl config view --minify -o jsonpath='{..namespace}') sidecars=enabled");
      await expect.poll(() => create('web', 'logger'), { timeout: 20_000, interval: 300 }).toContain('busybox');
      expect(await create('web', 'other')).not.toContain('busybox');
      const created = await terminal.run(`kubectl create -f - <<'END'\n${pod('web', 'logger')}END`);
      expect(created).toBe('Warning: the sidecar logger was added\npod/web created\n');
      const { metadata, spec } = JSON.parse(await terminal.run('kubectl get pod web -o json'));
      expect(metadata.annotations).toEqual({ 'sidecars.example.com/injected': 'logger' });
      expect(spec.containers.map(({ name }: { name: string }) => name)).toEqual(['app', 'logger']);
      expect(spec.volumes).toContainEqual({ name: 'logs', emptyDir: {} });
    } finally {
      expect(await stop()).toBe(0);
    }
  });

  if (way === 'Service') {
    it('a Service leads to the program while it runs', async () => {
      const { terminal, stop } = await start('sidecar-injector');
      const slices = () => terminal.run('kubectl get endpointslices -l kubernetes.io/service-name=sidecar-injector -o name');
      expect(await slices()).toMatch(/^endpointslice.discovery.k8s.io\/sidecar-injector-/);
      expect(await terminal.run("kubectl get secret sidecar-injector-webhook -o jsonpath='{.type}'")).toBe('kubernetes.io/tls\n');
      expect(await stop()).toBe(0);
      expect(await slices()).toBe('');
    });
  }
});

const configurationOf: Readonly<Record<string, string>> = {
  kubevirt: 'kubevirt-webhooks',
  'sidecar-injector': 'sidecar-injector',
};
