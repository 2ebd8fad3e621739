import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { kubeRequest } from '../harness/kube-request.mjs';

const chart = fileURLToPath(new URL('./chart', import.meta.url));

/**
 * The lifecycle of a release, from the first dry run to uninstall. Each trial builds on the previous one.
 * @param {(args: readonly string[], env?: Record<string, string>) => Promise<string>} run  runs Helm
 * @param {import('../harness/suite.mjs').TestServer} server
 * @param {{ major: 3 | 4, namespace: string }} settings
 * @returns {Record<string, () => Promise<void>>}
 */
export function helmTrials(run, server, { major, namespace }) {
  const request = kubeRequest(server.kubeconfig);
  const helm = (/** @type {string} */ line) => run([...line.split(' '), '--namespace', namespace]);
  const json = async (/** @type {string} */ line) => JSON.parse(await helm(`${line} -o json`));
  const core = `/api/v1/namespaces/${namespace}`;
  const read = async (/** @type {string} */ path) => (await request('GET', path)).body;
  const gadget = () => read(`/apis/trial.helm/v1/namespaces/${namespace}/gadgets/web`);
  const password = async () => (await read(`${core}/secrets/web-secret`)).data.password;
  const refused = async (/** @type {string} */ line, /** @type {RegExp} */ message) => assert.rejects(helm(line), message);
  const statuses = async () => (await json('history web')).map((/** @type {{ status: string }} */ each) => each.status);
  let kept = '';

  return {
    'a dry run on the server asks it for lookups': async () => {
      await request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
      await serviceAccount(request, namespace);
      const text = await helm(`template web ${chart} --dry-run=server --set gadget=false`);
      assert.match(text, /namespaces: "[4-9]"/);
      assert.equal((await request('GET', `${core}/configmaps/web-config`)).status, 404);
    },
    'install with CRDs, hooks and --wait': async () => {
      await helm(`install web ${chart} --wait --wait-for-jobs --timeout 30s`);
      assert.equal((await gadget()).spec.colour, 'red');
      assert.equal((await read(`${core}/configmaps/web-config`)).data.revision, '1');
      assert.equal((await request('GET', `/apis/batch/v1/namespaces/${namespace}/jobs/web-post-install`)).status, 404);
    },
    'install of a name in use': () => refused(`install web ${chart}`, /cannot (re-use|reuse) a name/),
    'status, values, manifest, hooks, list': async () => {
      assert.equal((await json('status web')).info.status, 'deployed');
      assert.match(await helm('get manifest web'), /kind: Gadget/);
      assert.match(await helm('get hooks web'), /pre-delete/);
      assert.equal((await json('list')).length, 1);
      assert.equal((await json('list --selector owner=helm,status=deployed')).length, 1);
    },
    'upgrade keeps what lookup found': async () => {
      kept = await password();
      await helm(`upgrade web ${chart} --set size=2 --wait --timeout 30s`);
      assert.equal((await gadget()).spec.size, 2);
      assert.equal(await password(), kept);
    },
    'upgrade with values of the last release': async () => {
      await helm(`upgrade web ${chart} --reuse-values --set replicas=3 --wait --timeout 30s`);
      assert.deepEqual(await json('get values web'), { replicas: 3, size: 2 });
    },
    'a change from elsewhere is put right': async () => {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`;
      const patch = { spec: { replicas: 9, template: { spec: { containers: [{ name: 'side', image: 'x' }] } } } };
      await request('PATCH', `${path}?fieldManager=stranger`, patch, 'application/strategic-merge-patch+json');
      const force = major === 4 ? ' --force-conflicts' : '';
      if (major === 4) await refused(`upgrade web ${chart} --reuse-values`, /conflict/);
      await helm(`upgrade web ${chart} --reuse-values --set replicas=4 --wait --timeout 30s${force}`);
      const { spec } = await read(path);
      assert.equal(spec.replicas, 4);
      assert.equal(spec.template.spec.containers.length, 2);
    },
    'an upgrade that the schema refuses': () =>
      refused(`upgrade web ${chart} --set size=101`, /spec\.size.*less than or equal to 100/),
    'an upgrade that fails is rolled back': async () => {
      const flag = major === 4 ? '--rollback-on-failure' : '--atomic';
      await refused(`upgrade web ${chart} --set broken=true,size=7 ${flag} --timeout 30s`, /99999/);
      assert.equal((await statuses()).at(-1), 'deployed');
      assert.equal((await gadget()).spec.size, 2);
    },
    'rollback to the first revision': async () => {
      await helm(`rollback web 1 --wait --timeout 30s${major === 4 ? ' --force-conflicts' : ''}`);
      assert.equal((await gadget()).spec.size, 1);
      assert.equal((await read(`/apis/apps/v1/namespaces/${namespace}/deployments/web`)).spec.replicas, 1);
    },
    test: async () => {
      assert.match(await helm('test web --timeout 30s'), /Phase: +Succeeded/);
    },
    'releases outlive a crash of the server': async () => {
      const before = await statuses();
      await server.restart();
      assert.deepEqual(await statuses(), before);
      await helm(
        `upgrade web ${chart} --set size=5 --wait --timeout 30s --history-max 3${major === 4 ? ' --force-conflicts' : ''}`,
      );
      assert.equal((await statuses()).length, 3);
    },
    'a second release of the same chart': async () => {
      await helm(`upgrade --install other ${chart} --skip-crds --wait --timeout 30s`);
      assert.deepEqual((await json('list')).map((/** @type {{ name: string }} */ each) => each.name).sort(), ['other', 'web']);
    },
    'uninstall --wait leaves nothing': async () => {
      await helm('uninstall web --wait --timeout 30s');
      for (const path of objectsOf(namespace)) assert.equal((await request('GET', path)).status, 404, path);
      assert.equal(
        (await read('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.trial.helm')).kind,
        'CustomResourceDefinition',
      );
      assert.equal((await json('list')).length, 1);
    },
    'uninstall --keep-history, then rollback': async () => {
      await helm('uninstall other --keep-history --wait --timeout 30s');
      assert.equal((await json('list --uninstalled')).length, 1);
      await helm('rollback other 1 --wait --timeout 30s');
      await helm('uninstall other --wait --cascade foreground --timeout 30s');
    },
    'releases in ConfigMaps': async () => {
      const driver = { HELM_DRIVER: 'configmap' };
      await run(['install', 'maps', chart, '--skip-crds', '--namespace', namespace], driver);
      const { items } = await read(`${core}/configmaps?labelSelector=owner%3Dhelm`);
      assert.equal(items.length, 1);
      await run(['uninstall', 'maps', '--namespace', namespace], driver);
    },
  };
}

/** Servers without controllers create no default ServiceAccount. @param {import('./workloads.mjs').Request} request @param {string} namespace */
async function serviceAccount(request, namespace) {
  await request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
}

/** @param {string} namespace */
const objectsOf = (namespace) => [
  `/api/v1/namespaces/${namespace}/configmaps/web-config`,
  `/api/v1/namespaces/${namespace}/secrets/web-secret`,
  `/api/v1/namespaces/${namespace}/services/web`,
  `/api/v1/namespaces/${namespace}/persistentvolumeclaims/web`,
  `/apis/apps/v1/namespaces/${namespace}/deployments/web`,
  `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/web`,
  `/apis/trial.helm/v1/namespaces/${namespace}/gadgets/web`,
  `/apis/rbac.authorization.k8s.io/v1/clusterroles/${namespace}-web`,
];
