import type { Any } from '../../support/client.ts';
import { keys, type LargeRequest, namespace, times } from './request.ts';

/** Objects that the patches are applied to, created before. */
export const targets: readonly (readonly [path: string, object: Any])[] = [
  [
    `${namespace}/configmaps`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'target', finalizers: ['a/b'] }, data: keys(2_000, String) },
  ],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'target' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [{ name: 'c', image: 'i', env: times(2_000, (i) => ({ name: `E${i}`, value: 'v' })) }],
          },
        },
      },
    },
  ],
];

const configMap = `${namespace}/configmaps/target?dryRun=All`;
const deployment = '/apis/apps/v1/namespaces/default/deployments/target?dryRun=All';

function patch(name: string, count: number, path: string, type: string, body: (count: number) => unknown): LargeRequest {
  return { name: `patch: ${name}`, count, method: 'PATCH', path: () => path, type: `application/${type}`, body };
}

const template = (containers: Any) => ({ spec: { template: { spec: { containers } } } });
const env = '/spec/template/spec/containers/0/env';

/** Every operation of JSON patch, and every directive of strategic merge patch. */
export const patches: readonly LargeRequest[] = [
  patch('add', 2_000, configMap, 'json-patch+json', (n) => times(n, (i) => ({ op: 'add', path: `/data/n${i}`, value: 'v' }))),
  patch('replace', 2_000, configMap, 'json-patch+json', (n) => times(n, () => ({ op: 'replace', path: '/data/k1', value: 'v' }))),
  patch('test', 2_000, configMap, 'json-patch+json', (n) => times(n, () => ({ op: 'test', path: '/data/k1', value: '1' }))),
  patch('test of all', 200, configMap, 'json-patch+json', (n) =>
    times(n, () => ({ op: 'test', path: '/data', value: keys(50, String) })),
  ),
  patch('remove', 1_000, configMap, 'json-patch+json', (n) =>
    times(Math.min(n, 2_000), (i) => ({ op: 'remove', path: `/data/k${i}` })),
  ),
  patch('move', 2_000, configMap, 'json-patch+json', (n) =>
    times(n, (i) => ({ op: 'move', from: `/data/${i === 0 ? 'k1' : `m${i - 1}`}`, path: `/data/m${i}` })),
  ),
  patch('copy', 2_000, configMap, 'json-patch+json', (n) =>
    times(n, (i) => ({ op: 'copy', from: '/data/k1', path: `/data/c${i}` })),
  ),
  patch('add to the head of a list', 2_000, deployment, 'json-patch+json', (n) =>
    times(n, (i) => ({ op: 'add', path: `${env}/0`, value: { name: `N${i}` } })),
  ),
  patch('remove from the head of a list', 1_000, deployment, 'json-patch+json', (n) =>
    times(Math.min(n, 2_000), () => ({ op: 'remove', path: `${env}/0` })),
  ),
  patch('move within a list', 2_000, deployment, 'json-patch+json', (n) =>
    times(n, () => ({ op: 'move', from: `${env}/0`, path: `${env}/1999` })),
  ),
  patch('long path', 50_000, configMap, 'json-patch+json', (n) => [{ op: 'test', path: '/data'.repeat(n), value: 1 }]),
  patch('escaped path', 50_000, configMap, 'json-patch+json', (n) => [
    { op: 'add', path: `/data/${'~0'.repeat(n)}`, value: 'v' },
  ]),
  patch('merge', 3_000, configMap, 'merge-patch+json', (n) => ({ data: keys(n, (i) => (i % 2 === 0 ? null : 'v')) })),
  patch('merge of depth', 200, configMap, 'merge-patch+json', (n) =>
    times(n, (i) => i).reduce<Any>((inner) => ({ a: inner }), 1),
  ),
  patch('strategic', 3_000, deployment, 'strategic-merge-patch+json', (n) =>
    template([{ name: 'c', env: times(n, (i) => ({ name: `E${i}`, value: 'w' })) }]),
  ),
  patch('strategic containers', 2_000, deployment, 'strategic-merge-patch+json', (n) =>
    template(times(n, (i) => ({ name: `c${i}`, image: 'i' }))),
  ),
  patch('strategic $patch: delete', 3_000, deployment, 'strategic-merge-patch+json', (n) =>
    template([{ name: 'c', env: times(n, (i) => ({ name: `E${i}`, $patch: 'delete' })) }]),
  ),
  patch('strategic $setElementOrder', 3_000, deployment, 'strategic-merge-patch+json', (n) =>
    template([
      { name: 'c', '$setElementOrder/env': times(n, (i) => ({ name: `E${i}` })), env: times(n, (i) => ({ name: `E${i}` })) },
    ]),
  ),
  patch('strategic $deleteFromPrimitiveList', 3_000, configMap, 'strategic-merge-patch+json', (n) => ({
    metadata: { '$deleteFromPrimitiveList/finalizers': times(n, (i) => `a/f${i}`), finalizers: times(n, (i) => `a/g${i}`) },
  })),
  patch('strategic $retainKeys', 3_000, deployment, 'strategic-merge-patch+json', (n) => ({
    spec: { strategy: { $retainKeys: times(n, (i) => `k${i}`), type: 'Recreate' } },
  })),
  patch('apply', 3_000, `${configMap}&fieldManager=m`, 'apply-patch+yaml', (n) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: keys(n, () => 'w'),
  })),
  patch('apply with force', 3_000, `${configMap}&fieldManager=m&force=true`, 'apply-patch+yaml', (n) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: keys(n, () => 'w'),
  })),
  patch('apply of a list', 2_000, `${deployment}&fieldManager=m&force=true`, 'apply-patch+yaml', (n) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    ...template([{ name: 'c', env: times(n, (i) => ({ name: `E${n - i}`, value: 'w' })) }]),
  })),
];
