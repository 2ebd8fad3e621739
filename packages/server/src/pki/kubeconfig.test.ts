import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkKubeconfigPath, localUrl, renderKubeconfig, writeKubeconfig } from '@tsukube/apiserver';
import { memoryFiles } from '@tsukube/machinery/pki';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openPki } from './pki.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pki = openPki(memoryFiles(), { hosts: ['localhost'], clientKeyAlgorithm: 'ecdsa' }, new Date());
const admin = await pki.admin;
const text = renderKubeconfig({ url: 'https://127.0.0.1:6443', ca: pki.ca, client: admin });
const path = join(folder, 'deep', 'admin.kubeconfig');

describe('the kubeconfig', () => {
  it('is self-contained', () => {
    const content = parse(text);
    expect(content).toMatchObject({ apiVersion: 'v1', kind: 'Config', 'current-context': 'tsukube' });
    const decoded = (data: string): string => Buffer.from(data, 'base64').toString();
    expect(decoded(content.clusters[0].cluster['certificate-authority-data'])).toBe(pki.ca);
    expect(decoded(content.users[0].user['client-certificate-data'])).toBe(admin.certificate);
    expect(decoded(content.users[0].user['client-key-data'])).toBe(admin.key);
  });

  it('is written atomically and readable by its owner only', () => {
    writeKubeconfig(path, renderKubeconfig({ url: 'https://[::1]:1', ca: 'old', client: admin }));
    writeKubeconfig(path, text);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['admin.kubeconfig']);
  });

  it.each([
    ['text', 'mine\n'],
    ['a kubeconfig with something added', `${text}# mine\n`],
    ['another kubeconfig', text.replaceAll('tsukube', 'kind')],
  ])('does not replace %s', (_, content) => {
    const other = join(folder, 'other');
    writeFileSync(other, content);
    expect(() => checkKubeconfigPath(other)).toThrow(
      `--kubeconfig-out: ${other} was not written by this server and is not replaced`,
    );
    expect(() => writeKubeconfig(other, text)).toThrow('is not replaced');
    expect(readFileSync(other, 'utf8')).toBe(content);
  });

  it('fills an empty file, as mktemp makes it', () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '');
    writeKubeconfig(empty, text);
    expect(readFileSync(empty, 'utf8')).toBe(text);
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
