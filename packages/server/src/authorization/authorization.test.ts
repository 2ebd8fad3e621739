import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessAttributes, silentLogger } from '@tsukube/apiserver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abacAuthorizer } from './abac.ts';
import { parseAuthorizationConfiguration, type WebhookConfiguration } from './configuration.ts';
import { compileReviewMatchConditions } from './match-conditions.ts';
import { webhookAuthorizer } from './webhook-authorizer.ts';

const directory = mkdtempSync(join(tmpdir(), 'tsukube-authorization-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

function access(given: Partial<AccessAttributes> = {}): AccessAttributes {
  const nothing = { group: '', version: 'v1', subresource: '', namespace: 'n', name: '', path: '' };
  const user = { name: 'ann', groups: ['g'], uid: '7', extra: { k: ['v'] } };
  return { user, verb: 'get', isResource: true, resource: 'pods', ...nothing, ...given };
}

describe('ABAC', () => {
  const abac = abacAuthorizer(
    file(
      'policy.jsonl',
      `# people
{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"ann","namespace":"n","resource":"pods","apiGroup":"*","readonly":true}}
{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"group":"g","nonResourcePath":"/x/*"}}

{"user":"old","resource":"secrets"}
{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"namespace":"*","resource":"*","apiGroup":"*"}}`,
    ),
  );
  it.each<[string, Partial<AccessAttributes>, boolean]>([
    ['a user', {}, true],
    ['reading only', { verb: 'delete' }, false],
    ['another namespace', { namespace: 'm' }, false],
    ['another resource', { resource: 'secrets' }, false],
    ['a path of a group', { isResource: false, path: '/x/y' }, true],
    ['another path', { isResource: false, path: '/x' }, false],
    [
      'a policy in the format without versions',
      { user: { name: 'old', groups: [] }, resource: 'secrets', namespace: 'm', verb: 'delete' },
      true,
    ],
    ['an empty user name matches no policy', { user: { name: 'x', groups: [] } }, false],
  ])('%s', async (_title, given, allowed) => {
    expect((await abac.authorize(access(given))).decision).toBe(allowed ? 'allow' : 'no opinion');
  });

  it('names the invalid line', () => {
    expect(() => abacAuthorizer(file('bad.jsonl', '\n{"user"'))).toThrow(/bad\.jsonl:2: /);
  });
});

describe('a webhook', () => {
  let server: Server;
  let asked: Record<string, unknown>[];
  let answer: { code: number; status?: object };
  let kubeConfigFile: string;

  beforeEach(async () => {
    asked = [];
    answer = { code: 200, status: { allowed: true, reason: 'why not' } };
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      asked.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.statusCode = answer.code;
      response.end(JSON.stringify({ kind: 'SubjectAccessReview', status: answer.status }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/authorize`;
    kubeConfigFile = file(
      'webhook.yaml',
      `clusters: [{name: c, cluster: {server: "${url}"}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n`,
    );
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const open = (given: Partial<WebhookConfiguration> = {}) =>
    webhookAuthorizer(
      'hook',
      {
        ...{ authorizedTtl: 1000, unauthorizedTtl: 0, timeout: 1000, subjectAccessReviewVersion: 'v1' },
        ...{ failurePolicy: 'NoOpinion', kubeConfigFile, matchConditions: [] },
        ...given,
      } as WebhookConfiguration,
      silentLogger,
    );

  it('gets all attributes, once per TTL', async () => {
    const hook = await open();
    const fieldSelector = { requirements: [{ field: 'a', operator: '!=' as const, value: 'b' }] };
    const labelSelector = { requirements: [{ key: 'l', operator: 'exists' as const, values: [] }] };
    const given = access({ fieldSelector, labelSelector });
    expect(await hook.authorize(given)).toEqual({ decision: 'allow', reason: 'why not' });
    expect(await hook.authorize(given)).toEqual({ decision: 'allow', reason: 'why not' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1',
      spec: {
        user: 'ann',
        groups: ['g'],
        uid: '7',
        extra: { k: ['v'] },
        resourceAttributes: {
          ...{ namespace: 'n', verb: 'get', version: 'v1', resource: 'pods' },
          fieldSelector: { requirements: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
          labelSelector: { requirements: [{ key: 'l', operator: 'Exists' }] },
        },
      },
    });
    hook.close();
  });

  it.each([
    [{ allowed: false }, 'no opinion'],
    [{ allowed: false, denied: true }, 'deny'],
    [{ allowed: true, denied: true }, 'deny'],
  ])('that answers %o', async (status, decision) => {
    answer = { code: 200, status };
    const hook = await open({ subjectAccessReviewVersion: 'v1beta1' });
    expect((await hook.authorize(access({ isResource: false, path: '/x' }))).decision).toBe(decision);
    await hook.authorize(access({ isResource: false, path: '/x' }));
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { group: ['g'], nonResourceAttributes: { path: '/x', verb: 'get' } },
    });
    hook.close();
  });

  it.each(['NoOpinion', 'Deny'] as const)('that fails, with the policy %s', async (failurePolicy) => {
    answer = { code: 400 };
    const hook = await open({ failurePolicy });
    const verdict = await hook.authorize(access());
    expect(verdict).toMatchObject({
      decision: failurePolicy === 'Deny' ? 'deny' : 'no opinion',
      error: expect.stringContaining('400'),
    });
    hook.close();
  });

  it('is called only if its conditions match', async () => {
    const hook = await open({
      matchConditions: ["has(request.resourceAttributes) && request.resourceAttributes.namespace == 'n'"],
    });
    expect((await hook.authorize(access({ namespace: 'm' }))).decision).toBe('no opinion');
    expect(asked).toHaveLength(0);
    expect((await hook.authorize(access())).decision).toBe('allow');
    hook.close();
  });
});

describe('match conditions', () => {
  it.each([
    ["request.user == 'ann'", true],
    ["'g' in request.groups", true],
    ["request.resourceAttributes.subresource == ''", true],
    ['has(request.nonResourceAttributes)', false],
    ["request.resourceAttributes.verb in ['list', 'watch']", false],
  ])('%s', async (expression, expected) => {
    const matches = await compileReviewMatchConditions([expression]);
    expect(matches({ user: 'ann', groups: ['g'], resourceAttributes: { verb: 'get' } })).toBe(expected);
  });

  it.each(['request.nope', "'text'", 'request.'])('%s does not compile', async (expression) => {
    await expect(compileReviewMatchConditions([expression])).rejects.toThrow();
  });
});

describe('a configuration', () => {
  const kubeconfig = file('k.yaml', '');
  const webhook = `
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${kubeconfig}}
    matchConditions: [{expression: "request.user == 'x'"}]`;
  const parse = (authorizers: string, version = 'v1') =>
    parseAuthorizationConfiguration(
      Buffer.from(
        `apiVersion: apiserver.config.k8s.io/${version}\nkind: AuthorizationConfiguration\nauthorizers:\n${authorizers}`,
      ),
    );

  it.each(['v1', 'v1beta1'])('in %s lists the authorizers, in order', async (version) => {
    expect(await parse(`- type: Webhook\n  name: hook\n  webhook:${webhook}\n- type: RBAC\n  name: rbac\n`, version)).toEqual([
      {
        type: 'Webhook',
        name: 'hook',
        webhook: {
          ...{ authorizedTtl: 300_000, unauthorizedTtl: 30_000, timeout: 3000, subjectAccessReviewVersion: 'v1' },
          ...{ failurePolicy: 'Deny', kubeConfigFile: kubeconfig, matchConditions: ["request.user == 'x'"] },
        },
      },
      { type: 'RBAC', name: 'rbac' },
    ]);
  });

  it.each([
    ['', 'authorizers: Required value: at least one authorization mode must be defined'],
    ['- {type: Magic, name: m}', 'authorizers[0].type: Unsupported value: "Magic"'],
    ['- {type: RBAC, name: x}', 'authorizers[0].name: Invalid value: "x": expected name rbac for authorizer RBAC'],
    ['- {type: RBAC, name: rbac}\n- {type: RBAC, name: rbac}', 'authorizers[1].type: Duplicate value: "RBAC"'],
    ['- {type: Webhook, name: w}', 'authorizers[0].webhook: Required value: required when type=Webhook'],
    [
      '- {type: Webhook, name: w, webhook: {timeout: 31s}}',
      'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s',
    ],
    ['- {type: Webhook, name: w, webhook: {}}', 'authorizers[0].failurePolicy: Required value'],
    [
      `- type: Webhook\n  name: w\n  webhook:${webhook.replace("'x'", '1 +')}`,
      'authorizers[0].matchConditions[0].expression: Invalid value',
    ],
  ])('%s is refused', async (authorizers, message) => {
    await expect(parse(authorizers)).rejects.toThrow(message);
  });
});
