import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { localUrl, renderKubeconfig, writeKubeconfig } from './kubeconfig.ts';
import { memoryFiles, openPki } from './pki/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pki = openPki(memoryFiles(), ['localhost'], new Date());
const text = renderKubeconfig({ url: 'https://127.0.0.1:6443', ca: pki.ca, client: pki.admin });
const path = join(folder, 'deep', 'admin.kubeconfig');

describe('the kubeconfig', () => {
  it('has everything inside', () => {
    const content = parse(text);
    expect(content).toMatchObject({ apiVersion: 'v1', kind: 'Config', 'current-context': 'tsukube' });
    const decoded = (data: string): string => Buffer.from(data, 'base64').toString();
    expect(decoded(content.clusters[0].cluster['certificate-authority-data'])).toBe(pki.ca);
    expect(decoded(content.users[0].user['client-certificate-data'])).toBe(pki.admin.certificate);
    expect(decoded(content.users[0].user['client-key-data'])).toBe(pki.admin.key);
  });

  it('is written whole, for its owner only', () => {
    writeKubeconfig(path, 'old');
    writeKubeconfig(path, text);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['admin.kubeconfig']);
  });

  it.each([
    ['127.0.0.1', 'https://127.0.0.1:6443'],
    ['0.0.0.0', 'https://127.0.0.1:6443'],
    ['::', 'https://localhost:6443'],
    ['::1', 'https://[::1]:6443'],
    ['10.0.0.5', 'https://10.0.0.5:6443'],
  ])('of a server on %s points to %s', (address, url) => expect(localUrl(address, 6443)).toBe(url));
});

const old = '.cache/kubectl-1.20/usr/bin/kubectl';

describe.each(['kubectl', old])('%s', (kubectl) => {
  const here = spawnSync(kubectl, ['version', '--client']).status === 0 && (kubectl !== old || existsSync(old));

  it.skipIf(!here)('reads it', () => {
    writeKubeconfig(path, text);
    const { stdout } = spawnSync(
      kubectl,
      ['config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server} {.contexts[0].context.user}'],
      {
        env: { ...process.env, KUBECONFIG: path },
        encoding: 'utf8',
      },
    );
    expect(stdout).toBe('https://127.0.0.1:6443 admin');
  });
});
