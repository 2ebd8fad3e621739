import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ClusterConfig } from './cluster-config.ts';
import { TokenFile } from './files.ts';
import { inClusterConfig } from './in-cluster.ts';
import { loadConfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

const kubeconfig = (cluster: string, user: string) => `
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, namespace: ns}}, {name: there, context: {cluster: d, user: u}}]
clusters: [{name: d, cluster: {server: https://elsewhere}}, {name: c, cluster: ${cluster}}]
users: [{name: u, user: ${user}}]
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-client-'));
  for (const name of ['ca.crt', 'cert', 'key', 'token']) writeFileSync(join(folder, name), `${name} in a file`);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

function file(text: string): string {
  const path = join(folder, 'config');
  writeFileSync(path, text);
  return path;
}

const load = (cluster: string, user: string) => loadConfig({ kubeconfig: file(kubeconfig(cluster, user)) });
const secretsOf = async ({ credentials }: ClusterConfig) => ({
  ...(await credentials?.certificate()),
  authorization: await credentials?.authorization(),
});

describe('a kubeconfig', () => {
  it('has a server, its CA and a namespace', async () => {
    const config = await load(`{server: https://a/, certificate-authority-data: ${base64('ca')}, tls-server-name: b}`, '{}');
    expect(config).toMatchObject({ server: 'https://a', ca: 'ca', serverName: 'b', namespace: 'ns', insecure: false });
    expect(await load('{server: https://a, certificate-authority: ca.crt}', '{}')).toMatchObject({ ca: 'ca.crt in a file' });
    expect(await load('{server: https://a, insecure-skip-tls-verify: true}', '{}')).toMatchObject({ insecure: true });
  });

  it.each([
    [`{client-certificate-data: ${base64('cert')}, client-key-data: ${base64('key')}}`, { cert: 'cert', key: 'key' }],
    ['{client-certificate: cert, client-key: key}', { cert: 'cert in a file', key: 'key in a file' }],
    ['{token: abc}', { authorization: 'Bearer abc' }],
    ['{token: abc, tokenFile: token}', { authorization: 'Bearer token in a file' }],
    ['{username: eve, password: pass}', { authorization: `Basic ${base64('eve:pass')}` }],
    ['{}', { authorization: undefined }],
  ])('with the user %s', async (user, expected) => {
    expect(await secretsOf(await load('{server: https://a}', user))).toEqual({ authorization: undefined, ...expected });
  });

  it.each([
    ['no mapping', 'text\n', /not a YAML mapping/],
    ['no context', 'current-context: a\n', /no context "a"/],
    ['a list of other values', 'current-context: a\ncontexts: [1, null, {name: a}]\n', /no context "a"/],
    ['no server', kubeconfig('{}', '{}'), /no server/],
    ['a proxy', kubeconfig('{server: https://a, proxy-url: http://b}', '{}'), /proxy-url is not supported/],
    ['an auth provider', kubeconfig('{server: https://a}', '{auth-provider: {name: gcp}}'), /auth-provider is not supported/],
    ['an old plugin', kubeconfig('{server: https://a}', '{exec: {command: a, apiVersion: v1alpha1}}'), /"v1alpha1" are not/],
    ['a file that does not exist', kubeconfig('{server: https://a, certificate-authority: none}', '{}'), /cannot be read/],
  ])('is refused with %s', async (_, text, message) => {
    await expect(loadConfig({ kubeconfig: text })).rejects.toThrow(message);
  });

  it('is found by KUBECONFIG, which may name several files', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    writeFileSync(one, 'current-context: here\nusers: [{name: u, user: {token: first}}]\n');
    writeFileSync(two, kubeconfig('{server: https://a}', '{token: second}'));
    vi.stubEnv('KUBECONFIG', `${join(folder, 'missing')}:${one}:${two}`);
    expect(await secretsOf(await loadConfig())).toEqual({ authorization: 'Bearer first' });
    expect(await loadConfig({ context: 'there' })).toMatchObject({ server: 'https://elsewhere' });
    vi.stubEnv('KUBECONFIG', join(folder, 'missing'));
    await expect(loadConfig()).rejects.toThrow(/the kubeconfig cannot be read/);
  });
});

describe('an exec plugin', () => {
  /** Counts its calls in a file, and returns the given status. */
  function plugin(status: object, apiVersion = 'client.authentication.k8s.io/v1'): string {
    const answer = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
    writeFileSync(join(folder, 'calls'), '');
    writeFileSync(
      join(folder, 'plugin.sh'),
      `#!/bin/sh\nprintf "$KUBERNETES_EXEC_INFO $1 $EXTRA\\n" >> "${folder}/calls"\ncat <<'END'\n${answer}\nEND\n`,
    );
    chmodSync(join(folder, 'plugin.sh'), 0o755);
    return `{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin.sh, args: [x], env: [{name: EXTRA, value: z}]}}`;
  }
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

  it('is run once until its credential expires or is refused', async () => {
    const { credentials } = await load('{server: https://a}', plugin({ token: 't' }));
    const got = await Promise.all([credentials?.authorization(), credentials?.authorization(), credentials?.certificate()]);
    expect(got).toEqual(['Bearer t', 'Bearer t', undefined]);
    expect(calls()).toEqual([
      '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}} x z',
    ]);
    expect(credentials?.refresh()).toBe(true);
    await credentials?.authorization();
    expect(calls()).toHaveLength(2);
  });

  it('is run again after the expiration', async () => {
    const past = plugin({ token: 't', expirationTimestamp: '2020-01-01T00:00:00Z' });
    const { credentials } = await load('{server: https://a}', past);
    await credentials?.authorization();
    await credentials?.authorization();
    expect(calls()).toHaveLength(2);
  });

  it('may return a certificate', async () => {
    const user = plugin({ clientCertificateData: 'c', clientKeyData: 'k' });
    expect(await secretsOf(await load('{server: https://a}', user))).toEqual({ cert: 'c', key: 'k', authorization: undefined });
  });

  it.each<[string, object, string, RegExp]>([
    ['nothing', {}, 'client.authentication.k8s.io/v1', /neither a token nor a certificate/],
    ['half of a key pair', { clientKeyData: 'k', token: 't' }, 'client.authentication.k8s.io/v1', /certificate or a key alone/],
    ['another version', { token: 't' }, 'client.authentication.k8s.io/v1beta1', /returned version/],
  ])('that returns %s fails', async (_, status, version, message) => {
    const { credentials } = await load('{server: https://a}', plugin(status, version));
    await expect(credentials?.authorization()).rejects.toThrow(message);
  });

  it.each([
    ['that does not exist', 'none-such', /get it there/],
    ['that fails', '"false"', /exit code 1/],
    ['that returns no JSON', 'pwd', /did not return a JSON object/],
  ])('%s', async (_, command, message) => {
    const exec = `{exec: {apiVersion: client.authentication.k8s.io/v1, command: ${command}, installHint: get it there}}`;
    const { credentials } = await load('{server: https://a}', exec);
    await expect(credentials?.authorization()).rejects.toThrow(message);
  });
});

describe('in a cluster', () => {
  it('the service account is used, and its token is read again', () => {
    const env = { KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '6443' };
    const config = inClusterConfig({ env, folder });
    expect(config).toMatchObject({ server: 'https://[::1]:6443', ca: 'ca.crt in a file' });
    expect(config.credentials?.authorization()).toBe('Bearer token in a file');
    expect(() => inClusterConfig({ env: {} })).toThrow(/not in a cluster/);
  });

  it('tokens are rotated', () => {
    let now = 0;
    const path = join(folder, 'rotated');
    writeFileSync(path, 'one\n');
    const token = new TokenFile(path, () => now);
    expect(token.token()).toBe('one');
    writeFileSync(path, 'two\n');
    expect(token.token()).toBe('one');
    expect(token.refresh()).toBe(true);
    expect(token.token()).toBe('two');
    expect(token.refresh()).toBe(false);
    rmSync(path);
    now = 60_000;
    expect(token.token()).toBe('two');
  });
});
