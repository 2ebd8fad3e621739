import { describe, expect, it } from 'vitest';
import { answerJson, availability, registerBackend, startBackend } from '../../support/aggregated-backend.ts';
import type { Any } from '../../support/client.ts';
import { createDefinition, definition } from '../../support/definitions.ts';
import { configMap, useServer } from '../../support/server.ts';

const t = useServer();
const polling = { timeout: 10_000, interval: 20 };
const merge = { 'content-type': 'application/merge-patch+json' };
const core = '/api/v1/namespaces';

async function created(path: string, object: Any): Promise<Any> {
  const { status, body } = await t.client.send('POST', path, object);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}
const namespaceNamed = (name: string, labels: Any = {}) =>
  created(core, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
const podNamed = (name: string, metadata: Any = {}, spec: Any = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const accountIsThere = (name: string) => expect.poll(() => statusOf(`${name}/serviceaccounts/default`), polling).toBe(200);
const statusOf = async (path: string) => (await t.client.get(`${core}/${path}`)).status;
const release = (path: string) => t.client.send('PATCH', `${core}/${path}`, { metadata: { finalizers: null } }, merge);
const remove = (name: string) => t.client.send('DELETE', `${core}/${name}`);
const held = { finalizers: ['example.com/hold'] };

/** The conditions as lines of `type status reason message`. */
async function conditions(name: string): Promise<string[]> {
  const { body } = await t.client.get(`${core}/${name}`);
  return (body.status?.conditions ?? []).map(({ type, status, reason, message }: Any) =>
    [type, status, reason, message].join(' '),
  );
}

/** Recorded from kube-controller-manager 1.36.4. */
const discovered = 'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered';
const parsed = 'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions All legacy kube types successfully parsed';
const contentDeleted =
  'NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting on finalization';
const contentRemoved = 'NamespaceContentRemaining False ContentRemoved All content successfully removed';
const noFinalizers = 'NamespaceFinalizersRemaining False ContentHasNoFinalizers All content-preserving finalizers finished';
const contentFailed = (message: string) =>
  `NamespaceDeletionContentFailure True ContentDeletionFailed Failed to delete all resource types, 1 remaining: ${message}`;

describe('the contents of a deleted namespace', () => {
  it('stay until the pods are gone', async () => {
    await namespaceNamed('pods-first');
    await accountIsThere('pods-first');
    await created(`${core}/pods-first/pods`, podNamed('held', held));
    await created(`${core}/pods-first/configmaps`, configMap('left'));
    await remove('pods-first');
    await expect
      .poll(() => conditions('pods-first'), polling)
      .toEqual([discovered, parsed, contentDeleted, contentRemoved, noFinalizers]);
    const pod = (await t.client.get(`${core}/pods-first/pods/held`)).body;
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    expect(await statusOf('pods-first/configmaps/left')).toBe(200);
    await release('pods-first/pods/held');
    await expect.poll(() => statusOf('pods-first'), polling).toBe(404);
    expect(await statusOf('pods-first/configmaps/left')).toBe(404);
  });

  it('are named in conditions while finalizers remain', async () => {
    await namespaceNamed('finalizers');
    const finalizers = ['example.com/hold', 'a.example.com/b'];
    await created(`${core}/finalizers/configmaps`, { ...configMap('held'), metadata: { name: 'held', finalizers } });
    await created(`${core}/finalizers/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'held', ...held } });
    const template = { metadata: { labels: { a: 'b' } }, spec: podNamed('').spec };
    await created('/apis/apps/v1/namespaces/finalizers/deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'held', ...held },
      spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
    });
    await remove('finalizers');
    const remaining =
      'Some resources are remaining: configmaps. has 1 resource instances, deployments.apps has 1 resource instances, secrets. has 1 resource instances';
    const holding =
      'Some content in the namespace has finalizers remaining: a.example.com/b in 1 resource instances, example.com/hold in 3 resource instances';
    await expect
      .poll(() => conditions('finalizers'), polling)
      .toEqual([
        discovered,
        parsed,
        contentDeleted,
        `NamespaceContentRemaining True SomeResourcesRemain ${remaining}`,
        `NamespaceFinalizersRemaining True SomeFinalizersRemain ${holding}`,
      ]);
    for (const path of ['configmaps', 'secrets']) await release(`finalizers/${path}/held`);
    await t.client.send(
      'PATCH',
      '/apis/apps/v1/namespaces/finalizers/deployments/held',
      { metadata: { finalizers: null } },
      merge,
    );
    await expect.poll(() => statusOf('finalizers'), polling).toBe(404);
  });

  it('wait for the grace period of pods on a node', async () => {
    await created('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } });
    await namespaceNamed('graceful');
    await accountIsThere('graceful');
    const bound = { nodeName: 'node', terminationGracePeriodSeconds: 1 };
    await created(`${core}/graceful/pods`, podNamed('bound', {}, bound));
    await created(`${core}/graceful/pods`, podNamed('lost', {}, { nodeName: 'missing' }));
    await remove('graceful');
    const unexpected = 'unexpected items still remain in namespace: graceful for gvr: /v1, Resource=pods';
    await expect
      .poll(() => conditions('graceful'), polling)
      .toEqual([discovered, parsed, contentFailed(unexpected), contentRemoved, noFinalizers]);
    expect(await statusOf('graceful/pods/bound')).toBe(200);
    expect(await statusOf('graceful/pods/lost')).toBe(404);
    await t.client.send('DELETE', `${core}/graceful/pods/bound?gracePeriodSeconds=0`);
    await expect.poll(() => statusOf('graceful'), polling).toBe(404);
  });
});

describe('the objects of an aggregated API', () => {
  it.each([
    ['as a collection', ['get', 'list', 'delete', 'deletecollection'], ['DELETE COLLECTION', 'GET COLLECTION']],
    ['one by one', ['get', 'list', 'delete'], ['GET COLLECTION', 'DELETE COLLECTION/held', 'GET COLLECTION']],
  ])(
    'are deleted %s, and named while they remain',
    async (title, verbs, expected) => {
      const name = `remote-${title.length}`;
      const group = `${name}.example.com`;
      const item = { metadata: { name: 'held', namespace: name, finalizers: ['example.com/remote'] } };
      let items = [item];
      const collection = `/apis/${group}/v1/namespaces/${name}/flunders`;
      const backend = await startBackend({
        group,
        service: name,
        verbs,
        handle: (incoming, response) =>
          incoming.url?.startsWith(collection)
            ? answerJson(response, 200, { kind: 'FlunderList', apiVersion: `${group}/v1`, metadata: {}, items })
            : answerJson(response, 404, {}),
      });
      try {
        await registerBackend(t.client, group, name, backend.port, { caBundle: backend.caBundle });
        await expect.poll(async () => (await availability(t.client, group))?.status, polling).toBe('True');
        await namespaceNamed(name);
        await remove(name);
        const remaining = `Some resources are remaining: flunders.${group} has 1 resource instances`;
        const holding = 'Some content in the namespace has finalizers remaining: example.com/remote in 1 resource instances';
        await expect
          .poll(() => conditions(name), polling)
          .toEqual([
            discovered,
            parsed,
            contentDeleted,
            `NamespaceContentRemaining True SomeResourcesRemain ${remaining}`,
            `NamespaceFinalizersRemaining True SomeFinalizersRemain ${holding}`,
          ]);
        const lines = backend.requests.map(({ line }) => line.replace(collection, 'COLLECTION'));
        expect(lines.filter((line) => line.includes('COLLECTION')).slice(0, expected.length)).toEqual(expected);
        items = [];
        await expect.poll(() => statusOf(name), { timeout: 15_000, interval: 100 }).toBe(404);
      } finally {
        await t.client.send('DELETE', `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`);
        await backend.close();
      }
    },
    30_000,
  );
});

describe('a failure', () => {
  it('of admission stops only its resource', async () => {
    const registration = '/apis/admissionregistration.k8s.io/v1';
    await created(`${registration}/validatingadmissionpolicies`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'keep' },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          namespaceSelector: { matchLabels: { guarded: 'yes' } },
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }],
        },
        validations: [{ expression: "oldObject.metadata.name != 'kept'", message: 'keep it' }],
      },
    });
    await created(`${registration}/validatingadmissionpolicybindings`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'keep' },
      spec: { policyName: 'keep', validationActions: ['Deny'] },
    });
    await namespaceNamed('guarded', { guarded: 'yes' });
    await created(`${core}/guarded/configmaps`, configMap('kept'));
    await created(`${core}/guarded/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'free' } });
    await remove('guarded');
    const denied = `configmaps "Unknown" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: keep it`;
    await expect
      .poll(() => conditions('guarded'), polling)
      .toEqual([discovered, parsed, contentFailed(denied), contentRemoved, noFinalizers]);
    expect([await statusOf('guarded/configmaps/kept'), await statusOf('guarded/secrets/free')]).toEqual([200, 404]);
    await t.client.send('DELETE', `${registration}/validatingadmissionpolicybindings/keep`);
    await expect.poll(() => statusOf('guarded'), polling).toBe(404);
  });

  it('of a conversion webhook stops only its resource', async () => {
    const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = [
      { name: 'v1', served: true, storage: true, schema: anything },
      { name: 'v2', served: true, storage: false, schema: anything },
    ];
    const clientConfig = { url: 'https://127.0.0.1:9/convert' };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    const group = 'broken.example.com';
    const widgets = await createDefinition(t.client, definition('widgets', { group, versions, conversion }));
    for (const name of ['converted', 'unconverted']) await namespaceNamed(name);
    await created(widgets.replace('default', 'converted'), {
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name: 'w' },
    });
    await created(`${core}/converted/configmaps`, configMap('other'));
    for (const name of ['converted', 'unconverted']) await remove(name);
    await expect.poll(() => statusOf('unconverted'), polling).toBe(404);
    const failed = `conversion webhook for ${group}/v1, Kind=Widget failed: Post "https://127.0.0.1:9/convert?timeout=30s": dial tcp 127.0.0.1:9: connect: connection refused`;
    await expect
      .poll(() => conditions('converted'), polling)
      .toEqual([discovered, parsed, contentFailed(failed), contentRemoved, noFinalizers]);
    expect(await statusOf('converted/configmaps/other')).toBe(404);
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`;
    await t.client.send('PATCH', path, { spec: { conversion: { strategy: 'None', webhook: null } } }, merge);
    await expect.poll(() => statusOf('converted'), polling).toBe(404);
  });

  it('of an aggregated API delays only the namespace itself', async () => {
    const services = '/apis/apiregistration.k8s.io/v1/apiservices';
    const backend = { insecureSkipTLSVerify: true, service: { name: 'dead', namespace: 'default', port: 443 } };
    const apis = ['v1.dead.example.com', 'v2.dead.example.com', 'v1.gone.example.com'];
    for (const name of apis) {
      const [version, ...group] = name.split('.');
      const spec = { group: group.join('.'), version, groupPriorityMinimum: 100, versionPriority: 100, ...backend };
      await created(services, { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec });
    }
    await namespaceNamed('undiscovered');
    await created(`${core}/undiscovered/configmaps`, configMap('other'));
    await remove('undiscovered');
    const stale = ['dead.example.com/v1', 'dead.example.com/v2', 'gone.example.com/v1'];
    const list = stale.map((version) => `${version}: stale GroupVersion discovery: ${version}`).join(', ');
    const message = `Discovery failed for some groups, 3 failing: unable to retrieve the complete list of server APIs: ${list}`;
    await expect
      .poll(() => conditions('undiscovered'), polling)
      .toEqual([
        `NamespaceDeletionDiscoveryFailure True DiscoveryFailed ${message}`,
        parsed,
        contentDeleted,
        contentRemoved,
        noFinalizers,
      ]);
    expect(await statusOf('undiscovered/configmaps/other')).toBe(404);
    for (const name of apis) await t.client.send('DELETE', `${services}/${name}`);
    await expect.poll(() => statusOf('undiscovered'), { timeout: 20_000, interval: 50 }).toBe(404);
  });
});
