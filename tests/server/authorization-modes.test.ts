import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartOptions, startServer } from '@tsukube/server';
import { expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { rawRequest } from '../support/raw-request.ts';

const directory = mkdtempSync(join(tmpdir(), 'tsukube-modes-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text, { mode: 0o600 });
  return join(directory, name);
};
const tokenAuthFile = file('tokens.csv', 'ann,ann,1\n');

/** The responses to a token user and to the administrator with these options. */
async function answers(options: StartOptions): Promise<{ status: number; message: string | undefined; admin: number }> {
  const server = await startServer({ storage: 'memory', securePort: 0, tokenAuthFile, ...options });
  const client = clientFor(server.kubeconfig);
  const path = '/api/v1/namespaces/default/configmaps';
  const { status, body } = await rawRequest(client, 'GET', path, { authorization: 'Bearer ann' });
  const admin = (await client.get(path)).status;
  client.close();
  await server.close();
  return { status, message: body.message, admin };
}

const refused =
  'configmaps is forbidden: User "ann" cannot list resource "configmaps" in API group "" in the namespace "default"';
const policy =
  '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"ann","namespace":"*","resource":"*","apiGroup":"*"}}';

it.each<[string, StartOptions, number, string | undefined]>([
  ['RBAC without a role', {}, 403, refused],
  ['AlwaysAllow', { authorizationMode: ['AlwaysAllow'] }, 200, undefined],
  ['AlwaysDeny', { authorizationMode: ['AlwaysDeny'] }, 403, `${refused}: Everything is forbidden.`],
  ['ABAC', { authorizationMode: ['ABAC'], authorizationPolicyFile: file('policy', policy) }, 200, undefined],
  [
    'ABAC of others',
    { authorizationMode: ['RBAC', 'ABAC'], authorizationPolicyFile: file('none', '') },
    403,
    `${refused}: No policy matched.`,
  ],
])('%s', async (_title, options, status, message) => {
  expect(await answers(options)).toEqual({ status, message, admin: 200 });
});

it.each([
  ['allows', { allowed: true }, 200, undefined],
  ['has no opinion', { allowed: false, reason: 'not today' }, 403, `${refused}: not today`],
  ['denies', { allowed: false, denied: true, reason: 'never' }, 403, `${refused}: never`],
])('a webhook of an AuthorizationConfiguration %s', async (_title, status, code, message) => {
  const asked: string[] = [];
  const hook = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push(JSON.parse(text).spec.user);
    response.end(JSON.stringify({ status }));
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const kubeconfig = file(
    'hook',
    `clusters: [{name: c, cluster: {server: "${url}"}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n`,
  );
  const authorizationConfig = file(
    'configuration',
    `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: RBAC
  name: rbac
- type: Webhook
  name: hook
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${kubeconfig}}
    matchConditions: [{expression: "request.user == 'ann'"}]
`,
  );
  expect(await answers({ authorizationConfig })).toEqual({ status: code, message, admin: 200 });
  expect(asked).toEqual(['ann']);
  await new Promise((resolve) => hook.close(resolve));
});

it.each<[StartOptions, string]>([
  [{ authorizationMode: ['Magic'] }, 'Magic'],
  [{ authorizationMode: ['RBAC', 'RBAC'] }, 'more than once'],
  [{ authorizationMode: ['ABAC'] }, '--authorization-policy-file'],
  [{ authorizationMode: ['Webhook'] }, '--authorization-webhook-config-file'],
  [{ authorizationMode: ['RBAC'], authorizationConfig: file('some', '') }, '--authorization-config can not be specified'],
])('%o is refused', async (options, message) => {
  await expect(startServer({ storage: 'memory', securePort: 0, ...options })).rejects.toThrow(message);
});
