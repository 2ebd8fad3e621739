import { expect, request } from '../servers/api.mjs';
import { startWebhook } from '../servers/webhook.mjs';
import { durationSample, rateSample, withLoad } from './sample.mjs';

/**
 * Cost of admission: the built-in plugins, a webhook, and policies.
 *
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Sample} Sample
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 * @typedef {import('../driver/manifest.mjs').ObjectKind} ObjectKind
 */

const group = 'Admission';
const registration = '/apis/admissionregistration.k8s.io/v1';
const policyCount = 10;
/** More than any server creates in the given time. */
const endless = 1_000_000;
const connections = 2;
const timeoutMs = 60_000;
/** kube-apiserver reads policies and webhook configurations through informers. */
const settleMs = 2000;

/** @type {Row} */
const plugins = {
  id: 'admission-plugins',
  title: 'built-in plugins on a create of a pod',
  group,
  unit: 'milliseconds',
  goal: { atMost: 0.1 },
};
/** @type {Row} */
const policies = {
  id: 'admission-policies',
  title: `create under ${policyCount} policies`,
  group,
  unit: 'rate',
  goal: { ratio: 1, p99: true },
};
/** @type {Row} */
const own = { id: 'admission-webhook-own', title: 'answer of a webhook to a client of its own', group, unit: 'milliseconds' };
/** @type {Row} */
const added = { id: 'admission-webhook-added', title: 'time that the webhook adds to a create', group, unit: 'milliseconds' };
/** @type {Row} */
const factor = {
  id: 'admission-webhook',
  title: 'time added, in answers of the webhook',
  group,
  unit: 'times',
  goal: { atMost: 1.5 },
};

/**
 * Creates objects in the namespace of a purpose, which must be ready.
 * @param {Bench} bench @param {Contender} contender @param {string} collection @param {string} prefix @param {ObjectKind} kind @param {number} inFlight @param {number} round
 */
async function createIn({ pool, plan }, contender, collection, prefix, kind, inFlight, round) {
  const job = {
    endpoint: contender.endpoint,
    protocol: /** @type {const} */ ('h2'),
    collection,
    operation: { kind: /** @type {const} */ ('create'), prefix, count: endless, of: kind },
    inFlight,
    connections: Math.min(connections, inFlight),
    bounds: { warmupMs: round === 0 ? plan.coldWarmupMs / 2 : plan.warmupMs, durationMs: plan.objectMs, minOps: 1, minBytes: 0 },
  };
  return withLoad(contender, () => pool.runObjects(job, timeoutMs));
}

/** @param {Contender} contender @param {string} path @param {object} object */
async function create({ endpoint }, path, object) {
  expect(await request(endpoint, 'POST', path, object), [201, 409]);
}

/** @param {Contender} contender @param {string} path */
async function remove({ endpoint }, path) {
  expect(await request(endpoint, 'DELETE', path), [200, 404]);
}

/** @param {string} collection */
const namespaceOf = (collection) => collection.split('/')[collection.startsWith('/api/') ? 4 : 5];
const settle = () => new Promise((resolve) => setTimeout(resolve, settleMs));

/** Mean duration of both admission phases of creates so far, as the server measures it. @param {Contender} contender */
async function admissionOf({ endpoint }) {
  const { text } = await request(endpoint, 'GET', '/metrics');
  /** @param {string} name @param {string} type */
  const metric = (name, type) => {
    const pattern = new RegExp(
      `^apiserver_admission_step_admission_duration_seconds_${name}\\{operation="CREATE",rejected="false",type="${type}"\\} (\\S+)$`,
      'm',
    );
    return Number(pattern.exec(text)?.[1] ?? 0);
  };
  return { seconds: metric('sum', 'admit') + metric('sum', 'validate'), count: metric('count', 'admit') };
}

/** @param {Bench} bench @returns {Step} */
function pluginsStep(bench) {
  return {
    rows: [plugins],
    measure: async (contender, round) => {
      const collection = await bench.fixtures.collection(contender, 'plugins', 'o', 1, 'pods');
      // Warms up. The measured creates are sent one at a time: with several, the duration would include the work of others.
      if (round === 0) await createIn(bench, contender, collection, 'warm', 'pods', bench.plan.inFlight, round);
      const before = await admissionOf(contender);
      const { result, load } = await createIn(bench, contender, collection, `new-${round}`, 'pods', 1, 1);
      const after = await admissionOf(contender);
      const value = (1000 * (after.seconds - before.seconds)) / (after.count - before.count);
      const { failures, failureSamples } = result;
      return { [plugins.id]: { value, failures, failureSamples, ...load } };
    },
  };
}

/** @param {string} namespace @param {number} i */
export function policyNamed(namespace, i) {
  const name = `${namespace}-${i}`;
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];
  const policy = {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules },
      variables: [{ name: 'keys', expression: 'object.data.map(k, k)' }],
      validations: [
        { expression: 'size(object.metadata.name) < 200', message: 'the name is too long' },
        {
          expression: `!variables.keys.exists(k, k == 'forbidden-${i}')`,
          messageExpression: "'forbidden key in ' + object.metadata.name",
        },
        { expression: "request.userInfo.username != 'nobody' && !has(object.immutable)" },
      ],
    },
  };
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
  const binding = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'], matchResources } };
  return { name, policy, binding };
}

/** @param {Bench} bench @returns {Step} */
function policiesStep(bench) {
  return {
    rows: [policies],
    measure: async (contender, round) => {
      const collection = await bench.fixtures.collection(contender, 'policies', 'cm', 1);
      const all = Array.from({ length: policyCount }, (_, i) => policyNamed(namespaceOf(collection), i));
      for (const { policy, binding } of all) {
        await create(contender, `${registration}/validatingadmissionpolicies`, policy);
        await create(contender, `${registration}/validatingadmissionpolicybindings`, binding);
      }
      await settle();
      try {
        const { result, load } = await createIn(
          bench,
          contender,
          collection,
          `new-${round}`,
          'configmaps',
          bench.plan.inFlight,
          round,
        );
        return { [policies.id]: rateSample(result, load) };
      } finally {
        for (const { name } of all) {
          await remove(contender, `${registration}/validatingadmissionpolicybindings/${name}`);
          await remove(contender, `${registration}/validatingadmissionpolicies/${name}`);
        }
      }
    },
  };
}

/** @param {Contender} contender @param {string} namespace @param {import('../servers/webhook.mjs').BenchWebhook} webhook */
async function register(contender, namespace, { url, caBundle }) {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const webhook = {
    name: 'bench.example.com',
    clientConfig: { url, caBundle },
    rules,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  await create(contender, `${registration}/validatingwebhookconfigurations`, {
    metadata: { name: namespace },
    webhooks: [webhook],
  });
  await settle();
}

/** One create at a time, with the webhook and without. The webhook, the server and the client are warm. @param {Bench} bench @returns {Step} */
function webhookStep(bench) {
  return {
    rows: [own, added, factor],
    measure: async (contender, round) => {
      const collection = await bench.fixtures.collection(contender, 'webhook', 'cm', 1);
      const namespace = namespaceOf(collection);
      const webhook = await startWebhook();
      try {
        await register(contender, namespace, webhook);
        // Warms up: the measured creates are sent one at a time, too few for that.
        if (round === 0) await createIn(bench, contender, collection, 'warm', 'configmaps', bench.plan.inFlight, round);
        const called = await createIn(bench, contender, collection, `called-${round}`, 'configmaps', 1, round);
        await remove(contender, `${registration}/validatingwebhookconfigurations/${namespace}`);
        await settle();
        const plain = await createIn(bench, contender, collection, `plain-${round}`, 'configmaps', 1, round);
        const ownMs = await webhook.answerMs();
        const sample = durationSample(called.result, called.load);
        const addedMs = sample.value - durationSample(plain.result, plain.load).value;
        return {
          [own.id]: { value: ownMs },
          [added.id]: { ...sample, value: addedMs },
          [factor.id]: { value: addedMs / ownMs, failures: sample.failures },
        };
      } finally {
        await remove(contender, `${registration}/validatingwebhookconfigurations/${namespace}`);
        webhook.stop();
      }
    },
  };
}

/** @param {Bench} bench @returns {Step[]} */
export function admissionSteps(bench) {
  return [pluginsStep(bench), policiesStep(bench), webhookStep(bench)];
}
