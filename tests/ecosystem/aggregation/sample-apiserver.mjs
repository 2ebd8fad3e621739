import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService, eventually, freePort, kubeconfigOf, runInBackground } from './backend.mjs';

/** @typedef {import('./backend.mjs').Cluster} Cluster */

const account = { namespace: 'wardle', name: 'apiserver' };
const manifests = ['ns', 'sa', 'auth-delegator', 'auth-reader', 'rbac', 'rbac-bind'];

/** Starts etcd. @param {Cluster} cluster @returns {Promise<{ url: string, stop: () => void }>} */
async function startEtcd({ context }) {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-aggregation-'));
  const [url, peers] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const urls = [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, `--listen-peer-urls=${peers}`];
  const alone = [`--initial-advertise-peer-urls=${peers}`, `--initial-cluster=default=${peers}`];
  const end = runInBackground(context, 'etcd', [`--data-dir=${folder}`, ...urls, ...alone]);
  return {
    url,
    stop() {
      end();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Kubernetes 1.36 has a kind that the ClusterRole of the example does not know; its admission waits until it can list it. @param {Cluster} cluster */
async function allowMutatingPolicies({ kubectl }) {
  const resources = ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'];
  const named = resources.map((name) => `--resource=${name}.admissionregistration.k8s.io`);
  await kubectl('create', 'clusterrole', 'wardle-policies', '--verb=get,list,watch', ...named);
  const { namespace, name } = account;
  await kubectl(
    'create',
    'clusterrolebinding',
    'wardle-policies',
    '--clusterrole=wardle-policies',
    `--serviceaccount=${namespace}:${name}`,
  );
}

/**
 * Runs k8s.io/sample-apiserver with the manifests of its repository, except for the Deployment and the Service.
 * @param {Cluster} cluster @param {{ program: string, source: string }} built @returns {Promise<() => void>} stops it
 */
export async function startSampleApiServer(cluster, { program, source }) {
  const { kubectl, context } = cluster;
  for (const name of manifests) await kubectl('apply', '-f', join(source, 'artifacts', 'example', `${name}.yaml`));
  await allowMutatingPolicies(cluster);
  const port = await freePort();
  await createService(cluster, { ...account, name: 'api' }, { portName: '', port });
  const kubeconfig = await kubeconfigOf(cluster, account);
  const etcd = await startEtcd(cluster);
  const certificates = mkdtempSync(join(tmpdir(), 'tsukube-aggregation-'));
  const delegation = ['', 'authentication-', 'authorization-'].map((prefix) => `--${prefix}kubeconfig=${kubeconfig}`);
  const serving = [`--secure-port=${port}`, `--cert-dir=${certificates}`, `--etcd-servers=${etcd.url}`];
  const end = runInBackground(context, program, [...serving, ...delegation]);
  await kubectl('apply', '-f', join(source, 'artifacts', 'example', 'apiservice.yaml'));
  return () => {
    end();
    etcd.stop();
    rmSync(certificates, { recursive: true, force: true });
  };
}

const api = '/apis/wardle.example.com/v1alpha1';

/** Each trial builds on the previous one. @param {Cluster} cluster @param {string} source @returns {Record<string, () => Promise<void>>} */
export function sampleApiServerTrials({ kubectl, request, context, server }, source) {
  const manifest = (/** @type {string} */ kind, /** @type {string} */ name, /** @type {object} */ rest) => {
    const file = join(context.folder, `${name}.json`);
    const object = { apiVersion: 'wardle.example.com/v1alpha1', kind, metadata: { name }, ...rest };
    writeFileSync(file, JSON.stringify(object));
    return file;
  };
  return {
    'the APIService becomes available': () =>
      eventually(context, async () => {
        const text = await kubectl('get', 'apiservice', 'v1alpha1.wardle.example.com');
        assert.match(text, /wardle\/api +True /);
      }),
    'discovery lists its resources': () =>
      eventually(context, async () => {
        const text = await kubectl('api-resources', '--api-group=wardle.example.com');
        assert.match(text, /flunders .* true +Flunder/);
        assert.match(text, /fischers .* false +Fischer/);
      }),
    'create, get and list flunders': async () => {
      // Its admission plugins are ready when their informers have synced.
      await eventually(context, () => kubectl('create', '-f', join(source, 'artifacts', 'flunders', '01-flunder.yaml')));
      assert.match(await kubectl('get', 'flunders'), /^NAME +CREATED AT\nmy-first-flunder +20/);
      assert.equal(await kubectl('get', 'flunder/my-first-flunder', '-o', 'name'), 'flunder.wardle.example.com/my-first-flunder');
      assert.match(await kubectl('get', 'flunders', '-l', 'sample-label=true', '-A', '-o', 'name'), /my-first-flunder/);
    },
    'explain reads its OpenAPI document': () =>
      eventually(context, async () => {
        assert.match(await kubectl('explain', 'flunder.spec'), /GROUP: +wardle\.example\.com/);
      }),
    'a patch, an edit of labels and a dry run': async () => {
      await kubectl('patch', 'flunder', 'my-first-flunder', '--type=merge', '-p', '{"spec":{"reference":"other"}}');
      await kubectl('label', 'flunder', 'my-first-flunder', 'colour=red');
      await kubectl('delete', 'flunder', 'my-first-flunder', '--dry-run=server');
      const { body } = await request('GET', `${api}/namespaces/default/flunders/my-first-flunder`);
      assert.deepEqual([body.spec.reference, body.metadata.labels.colour], ['other', 'red']);
    },
    'a watch gets events': async () => {
      const env = { KUBECONFIG: server.kubeconfig };
      const watch = context.spawn('kubectl', ['get', 'flunders', '--watch', '-o', 'name'], { env });
      /** @type {string[]} */
      const seen = [];
      for await (const line of watch.lines) {
        if (line.startsWith('Warning:')) continue;
        // The first line is the list: from then on the watch is open.
        if (seen.push(line) === 1) await kubectl('create', '-f', manifest('Flunder', 'watched', {}));
        if (line.endsWith('/watched')) break;
      }
      watch.end();
      assert.deepEqual(
        seen,
        ['my-first-flunder', 'watched'].map((name) => `flunder.wardle.example.com/${name}`),
      );
    },
    'server-side apply with two managers': async () => {
      const apply = (/** @type {string} */ manager, /** @type {string} */ reference, /** @type {string[]} */ ...more) => {
        const file = manifest('Flunder', 'applied', { spec: { reference } });
        return kubectl('apply', '--server-side', `--field-manager=${manager}`, '-f', file, ...more);
      };
      await apply('a', 'one');
      await assert.rejects(apply('b', 'two'), /conflict with "a"/);
      await apply('b', 'two', '--force-conflicts');
      const { body } = await request('GET', `${api}/namespaces/default/flunders/applied`);
      assert.equal(body.spec.reference, 'two');
    },
    'its admission plugin bans names that a fischer lists': async () => {
      await kubectl('create', '-f', manifest('Fischer', 'censor', { disallowedFlunders: ['banned'] }));
      await eventually(context, () =>
        assert.rejects(
          kubectl('create', '-f', manifest('Flunder', 'banned', {}), '--dry-run=server'),
          /flunders\.wardle\.example\.com "banned" is forbidden: this name may not be used/,
        ),
      );
    },
    'authorization is delegated to this server': async () => {
      const asJane = ['--as=jane', '-n', 'default'];
      await assert.rejects(kubectl('get', 'flunders', ...asJane), /User "jane" cannot list resource "flunders"/);
      await kubectl('create', 'clusterrole', 'flunders', '--verb=list', '--resource=flunders.wardle.example.com');
      await kubectl('create', 'rolebinding', 'jane', '-n', 'default', '--clusterrole=flunders', '--user=jane');
      await eventually(context, () => kubectl('get', 'flunders', ...asJane));
    },
    'a namespace is deleted with its flunders': async () => {
      await kubectl('create', 'namespace', 'doomed');
      await kubectl('create', '-n', 'doomed', '-f', manifest('Flunder', 'inside', {}));
      await kubectl('delete', 'namespace', 'doomed', '--timeout=60s');
      const { body } = await request('GET', `${api}/flunders`);
      assert.equal(JSON.stringify(body.items).includes('doomed'), false);
    },
    'OpenAPI v2 of the server has its definitions': () =>
      eventually(context, async () => {
        const { body } = await request('GET', '/openapi/v2');
        assert.ok(body.paths[`${api}/namespaces/{namespace}/flunders`]);
      }),
  };
}
