import type { AccessAttributes } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { NodeGraph, target } from './node-graph.ts';
import { nodeResourceRules } from './node-rules.ts';
import { podReferences, volumeReferences } from './object-references.ts';

const pod: JsonObject = {
  spec: {
    serviceAccountName: 'account',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [
      {
        envFrom: [{ secretRef: { name: 'all' } }, { configMapRef: { name: 'map' } }],
        env: [{ name: 'a', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } }],
      },
    ],
    volumes: [
      { name: 'v', secret: { secretName: 'mounted' } },
      { name: 'p', projected: { sources: [{ configMap: { name: 'projected' } }, { secret: { name: 'part' } }] } },
      { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
      { name: 'e', ephemeral: {} },
    ],
    resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }],
  },
  status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'gpu-1' }] },
};

const volume: JsonObject = {
  spec: {
    claimRef: { namespace: 'n', name: 'claim' },
    csi: {
      nodeStageSecretRef: { namespace: 'm', name: 'stage' },
      controllerPublishSecretRef: { namespace: 'm', name: 'hidden' },
    },
  },
};

let graph: NodeGraph;

beforeEach(() => {
  graph = new NodeGraph();
  graph.relate('pod n/p', 'one', podReferences(pod, 'n', 'p'));
  const { claim, secrets } = volumeReferences(volume) as NonNullable<ReturnType<typeof volumeReferences>>;
  graph.bindVolume('volume', claim, secrets);
  graph.relate('attachment /a', 'one', [target('attachment', '', 'a')]);
});

function ask(node: string, verb: string, what: string, more: Partial<AccessAttributes> = {}) {
  const [resource = '', name = ''] = what.split(' ');
  const [plural = '', subresource = ''] = resource.split('/');
  const [short = '', ...group] = plural.split('.');
  const nothing = {
    version: 'v1',
    namespace: 'n',
    path: '',
    isResource: true,
    user: { name: `system:node:${node}`, groups: [] },
  };
  const access = { ...nothing, verb, resource: short, subresource, group: group.join('.'), name, ...more };
  return nodeResourceRules[`${short}.${group.join('.')}`]?.(node, access, graph);
}

const unrelated = "no relationship found between node 'two' and this object";

describe('a node', () => {
  it.each(['pull', 'all', 'key', 'mounted', 'part'])('reads the secret %s of its pod', (name) => {
    expect(ask('one', 'get', `secrets ${name}`)).toBe(true);
    expect(ask('one', 'watch', `secrets ${name}`)).toBe(true);
    expect(ask('two', 'get', `secrets ${name}`)).toBe(unrelated);
    expect(ask('one', 'get', `secrets ${name}`, { namespace: 'm' })).toContain('no relationship');
    expect(ask('one', 'update', `secrets ${name}`)).toBe('can only read resources of this type');
  });

  it.each<[string, string, string]>([
    ['get', 'configmaps map', ''],
    ['list', 'configmaps projected', ''],
    ['get', 'persistentvolumeclaims claim', ''],
    ['get', 'persistentvolumeclaims p-e', ''],
    ['patch', 'persistentvolumeclaims/status claim', ''],
    ['get', 'persistentvolumes volume', ''],
    ['get', 'resourceclaims.resource.k8s.io gpu-1', ''],
    ['get', 'serviceaccounts account', ''],
    ['create', 'serviceaccounts/token account', ''],
    ['get', 'pods p', ''],
    ['list', 'pods p', ''],
    ['list', 'secrets', 'No Object name found'],
    ['list', 'persistentvolumeclaims', 'can only get individual resources of this type'],
    ['get', 'persistentvolumes other', "no relationship found between node 'one' and this object"],
    ['create', 'serviceaccounts/token other', "no relationship found between node 'one' and this object"],
    ['list', 'pods', 'can only list/watch pods with spec.nodeName field selector'],
    ['get', 'nodes one', ''],
    ['list', 'nodes', "node 'one' cannot read all nodes, only its own Node object"],
    ['get', 'nodes two', "node 'one' cannot read 'two', only its own Node object"],
    ['patch', 'csinodes.storage.k8s.io two', 'can only access CSINode with the same name as the requesting node'],
  ])('%s %s: %s', (verb, what, why) => {
    expect(ask('one', verb, what)).toBe(why === '' ? true : why);
  });

  it('reads the node secrets of volumes bound to its claims', () => {
    expect(ask('one', 'get', 'secrets stage', { namespace: 'm' })).toBe(true);
    expect(ask('one', 'get', 'secrets hidden', { namespace: 'm' })).not.toBe(true);
    expect(ask('two', 'get', 'secrets stage', { namespace: 'm' })).toBe(unrelated);
    graph.forgetVolume('volume');
    expect(ask('one', 'get', 'secrets stage', { namespace: 'm' })).not.toBe(true);
  });

  it('lists only its own pods and resource slices', () => {
    const fieldSelector = (value: string) => ({ requirements: [{ field: 'spec.nodeName', operator: '=' as const, value }] });
    expect(ask('one', 'list', 'pods', { fieldSelector: fieldSelector('one') })).toBe(true);
    expect(ask('one', 'list', 'pods', { fieldSelector: fieldSelector('two') })).not.toBe(true);
    expect(ask('one', 'watch', 'resourceslices.resource.k8s.io', { fieldSelector: fieldSelector('one') })).toBe(true);
    expect(ask('one', 'deletecollection', 'resourceslices.resource.k8s.io')).not.toBe(true);
  });

  it('may access its lease in kube-node-lease', () => {
    const namespace = 'kube-node-lease';
    expect(ask('one', 'update', 'leases.coordination.k8s.io one', { namespace })).toBe(true);
    expect(ask('one', 'update', 'leases.coordination.k8s.io two', { namespace })).not.toBe(true);
    expect(ask('one', 'update', 'leases.coordination.k8s.io one')).not.toBe(true);
  });

  it('loses access when the last pod that granted it is removed', () => {
    graph.relate('pod n/q', 'one', [target('secret', 'n', 'pull')]);
    graph.forget('pod n/p');
    expect(ask('one', 'get', 'secrets pull')).toBe(true);
    expect(ask('one', 'get', 'secrets key')).not.toBe(true);
    graph.forget('pod n/q');
    expect(ask('one', 'get', 'secrets pull')).not.toBe(true);
  });

  it('gains no access through mirror pods', () => {
    const mirror = { ...pod, metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } };
    expect(podReferences(mirror, 'n', 'p')).toEqual([target('pod', 'n', 'p')]);
  });
});
