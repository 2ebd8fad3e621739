import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkWebhookCredentials, webhookCredentials } from './webhook-credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-credentials-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'kubeconfig');
writeFileSync(join(folder, 'token'), 'from-file\n');
writeFileSync(
  file,
  `
apiVersion: v1
kind: Config
users:
- {name: 'exact.example.com:8443', user: {token: exact}}
- {name: 'default.example.com', user: {token: default-port}}
- {name: '*.example.com', user: {username: u, password: p}}
- {name: '*.ns.svc:444', user: {tokenFile: token}}
- {name: current, user: {client-certificate-data: Yw==, client-key-data: aw==}}
contexts:
- {name: c, context: {cluster: none, user: current}}
current-context: c
`,
);
const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration', kubeConfigFile: file };

describe('credentials for webhooks', () => {
  it.each([
    ['exact.example.com:8443', 'Bearer exact'],
    ['default.example.com:443', 'Bearer default-port'],
    ['exact.example.com:443', 'Basic dTpw'],
    ['a.b.example.com:443', 'Basic dTpw'],
    ['service.ns.svc:444', 'Bearer from-file'],
    ['other.test:443', undefined],
  ])('of %s', async (target, authorization) => {
    const found = await webhookCredentials(configuration)?.(target);
    expect(found?.authorization()).toBe(authorization);
    expect(String(found?.certificate)).toBe(authorization === undefined ? 'c' : 'undefined');
  });

  it('are not needed', () => {
    expect(webhookCredentials(undefined)).toBeUndefined();
    expect(webhookCredentials({ ...configuration, kubeConfigFile: '' })).toBeUndefined();
  });

  it.each([
    [{ kind: 'Other' }, 'no kind "Other" is registered for version "apiserver.config.k8s.io/v1"'],
    [{ kubeConfigFile: 'relative' }, 'kubeConfigFile: Invalid value: "relative": must be an absolute file path'],
    [{ kubeConfigFile: join(folder, 'missing') }, 'no such file or directory'],
  ])('are checked at start: %j', async (change, message) => {
    const checking = checkWebhookCredentials({ ValidatingAdmissionWebhook: { ...configuration, ...change } });
    await expect(checking).rejects.toThrow(message);
    await expect(checking).rejects.toThrow('couldn\'t init admission plugin "ValidatingAdmissionWebhook"');
  });
});
