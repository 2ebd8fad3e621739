import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { holdOf } from '../../hostile/event-loop.ts';
import type { Any } from '../../support/client.ts';
import { configMap, newNamespace, useServer } from '../../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-policies-'));
const auditLog = join(folder, 'audit.log');
const auditPolicy = join(folder, 'audit.yaml');
writeFileSync(auditPolicy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
afterAll(() => rmSync(folder, { recursive: true }));

const under = useServer({ auditPolicyFile: auditPolicy, auditLogPath: auditLog });
const group = '/apis/admissionregistration.k8s.io/v1';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };

async function created(path: string, object: object): Promise<Any> {
  const { status, body } = await under.client.send('POST', path, object);
  expect([status, body.message]).toEqual([201, undefined]);
  return body;
}

/** A policy for objects with the label `test: NAME`, and its binding. */
async function policy(name: string, spec: object, validationActions = ['Deny']): Promise<void> {
  const matchConstraints = { resourceRules: [rule], objectSelector: { matchLabels: { test: name } } };
  await created(`${group}/validatingadmissionpolicies`, { metadata: { name }, spec: { matchConstraints, ...spec } });
  await created(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name, validationActions },
  });
}

function annotationsOf(auditId: string): Any {
  const events = readFileSync(auditLog, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Any);
  return events.find((event) => event.auditID === auditId && event.stage === 'ResponseComplete')?.annotations;
}

/** Nested loops with 10 to the power of `depth` iterations. */
function loops(depth: number): string {
  const names = [...'abcdefgh'].slice(0, depth);
  return names.reduce((inner, name) => `[1,2,3,4,5,6,7,8,9,10].all(${name}, ${inner})`, 'true');
}

describe('validating policies', () => {
  it('annotate audit events', async () => {
    const path = await newNamespace(under.client);
    await policy(
      'audited',
      {
        variables: [{ name: 'count', expression: 'size(object.data)' }],
        validations: [{ expression: 'variables.count > 5', message: '<few>' }],
        auditAnnotations: [
          { key: 'count', valueExpression: "'count is ' + string(variables.count)" },
          { key: 'none', valueExpression: "variables.count > 1 ? 'many' : ''" },
        ],
      },
      ['Audit'],
    );
    const sent = await under.client.send('POST', path, configMap('a', { test: 'audited' }, { a: '1' }), {
      'audit-id': 'audited-1',
    });
    expect(sent.status).toBe(201);
    await expect
      .poll(() => annotationsOf('audited-1'))
      .toEqual({
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': '',
        'audited/count': 'count is 1',
        'validation.policy.admission.k8s.io/validation_failure':
          '[{"message":"\\u003cfew\\u003e","policy":"audited","binding":"audited","expressionIndex":0,"validationActions":["Audit"]}]',
      });
  });

  it('count their checks', async () => {
    const path = await newNamespace(under.client);
    await policy('counted', { validations: [{ expression: 'object.data.a == "1"' }] });
    await under.client.send('POST', path, configMap('a', { test: 'counted' }, { a: '2' }));
    await under.client.send('POST', path, configMap('a', { test: 'counted' }, {}));
    const { text } = await under.client.get('/metrics');
    const labels = 'enforcement_action="deny",error_type="invalid_error",policy="counted",policy_binding="counted"';
    expect(text).toContain(`apiserver_validating_admission_policy_check_total{${labels}} 2`);
    expect(text).toContain(`apiserver_validating_admission_policy_check_duration_seconds_count{${labels}} 2`);
  });

  it('stop at their budget without blocking the event loop', { timeout: 60_000 }, async () => {
    const path = await newNamespace(under.client);
    await policy('slow', { validations: Array.from({ length: 60 }, () => ({ expression: loops(5) })) });
    await policy('comparing', {
      variables: [{ name: 'large', expression: "dyn(lists.range(2000).map(i, 'item ' + string(i)))" }],
      validations: [{ expression: 'lists.range(3000).all(i, variables.large == variables.large)' }],
    });
    const send = (test: string) => under.client.send('POST', path, configMap(test, { test }));
    await send('slow');
    for (const test of ['slow', 'comparing']) {
      const { result, hold } = await holdOf(() => send(test));
      expect([result.status, result.body.message]).toEqual(
        test === 'slow' ? [422, expect.stringContaining('budget')] : [201, undefined],
      );
      expect(hold.longest).toBeLessThan(100);
    }
  });

  it('see objects with keys of prototypes', async () => {
    const path = await newNamespace(under.client);
    await policy('proto', {
      validations: [{ expression: "!('toString' in object.data) && !has(object.data.valueOf) && object.data.__proto__ == 'x'" }],
    });
    const data = '{"metadata":{"name":"p","labels":{"test":"proto"}},"data":{"__proto__":"x"}}';
    expect((await under.client.send('POST', path, data)).status).toBe(201);
  });
});

describe('mutating policies', () => {
  const mutating = async (name: string, test: string, expression: string, reinvocationPolicy: string): Promise<void> => {
    const matchConstraints = { resourceRules: [rule], objectSelector: { matchLabels: { test } } };
    const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
    const spec = { matchConstraints, mutations, reinvocationPolicy };
    await created(`${group}/mutatingadmissionpolicies`, { metadata: { name }, spec });
    await created(`${group}/mutatingadmissionpolicybindings`, { metadata: { name }, spec: { policyName: name } });
  };

  it.each([
    ['IfNeeded', 'yes'],
    ['Never', 'no'],
  ])('with the reinvocation policy %s', async (reinvocation, seen) => {
    const path = await newNamespace(under.client);
    const test = `reinvoked-${reinvocation.toLowerCase()}`;
    const label = "Object{metadata: Object.metadata{labels: {'seen': 'b' in object.data ? 'yes' : 'no'}}}";
    await mutating(`${test}-1`, test, label, reinvocation);
    await mutating(`${test}-2`, test, "Object{data: {'b': '2'}}", 'Never');
    const { metadata, data } = await created(path, configMap('a', { test }, { a: '1' }));
    expect([metadata.labels.seen, data]).toEqual([seen, { a: '1', b: '2' }]);
  });

  it('stop at their budget without blocking the event loop', { timeout: 60_000 }, async () => {
    const path = await newNamespace(under.client);
    const expression = `Object{data: ${loops(6)} ? {'b': '2'} : {'c': '3'}}`;
    await mutating('burning', 'burning', expression, 'Never');
    const { result, hold } = await holdOf(() => under.client.send('POST', path, configMap('a', { test: 'burning' })));
    expect([result.status, result.body.message]).toEqual([403, expect.stringContaining('actual cost limit exceeded')]);
    expect(hold.longest).toBeLessThan(100);
  });

  it('count their checks', async () => {
    const { text } = await under.client.get('/metrics');
    const labels = 'error_type="no_error",policy="reinvoked-ifneeded-1",policy_binding="reinvoked-ifneeded-1"';
    expect(text).toContain(`apiserver_mutating_admission_policy_check_total{${labels}} 2`);
  });
});

interface Checked {
  readonly spec: object;
  readonly status: Any;
}

const recorded = JSON.parse(readFileSync(new URL('policy-types.json', import.meta.url), 'utf8')) as Record<string, Checked>;
const withoutNumbers = (value: unknown): Any =>
  JSON.parse(
    JSON.stringify(value).replace(/\b(Pod|Deployment|StatefulSet|Widget|Event|CustomResourceDefinition)\d{3,}/g, '$1<n>'),
  );

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  port: { 'x-kubernetes-int-or-string': true },
                  names: { type: 'array', items: { type: 'string' } },
                  when: { type: 'string', format: 'date-time' },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  anything: { 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

describe('the status of validating policies', () => {
  it.each(Object.entries(recorded))('has the type warnings of kube-controller-manager: %s', async (name, { spec, status }) => {
    const path = `${group}/validatingadmissionpolicies`;
    if (name === 'widgets') {
      const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await created(definitions, widgets);
      const conditions = async () => (await under.client.get(`${definitions}/widgets.example.com`)).body.status.conditions;
      await expect.poll(conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
    }
    await created(path, { metadata: { name }, spec });
    const statusOf = async () => (await under.client.get(`${path}/${name}`)).body.status;
    await expect.poll(async () => (await statusOf()).observedGeneration, { timeout: 10_000 }).toBe(1);
    expect(withoutNumbers(await statusOf())).toEqual(status);
  });

  it('has no warnings for correct expressions', async () => {
    const path = `${group}/validatingadmissionpolicies`;
    const matchConstraints = { resourceRules: [rule] };
    await created(path, {
      metadata: { name: 'correct' },
      spec: { matchConstraints, validations: [{ expression: "object.data.a == 'b'" }] },
    });
    const read = async () => (await under.client.get(`${path}/correct`)).body;
    await expect.poll(async () => (await read()).status).toEqual({ observedGeneration: 1, typeChecking: {} });
    const { managedFields } = (await read()).metadata;
    const entry = { manager: 'validatingadmissionpolicy-status', operation: 'Apply', subresource: 'status' };
    expect(managedFields).toContainEqual(expect.objectContaining(entry));
  });
});
