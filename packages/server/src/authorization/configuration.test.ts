import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tsukube/apiserver';
import { afterEach, expect, it } from 'vitest';
import { followConfigurationFile } from './configuration.ts';

const file = join(mkdtempSync(join(tmpdir(), 'tsukube-follow-')), 'authorization.yaml');
const write = (...types: string[]) =>
  writeFileSync(
    file,
    `apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n${types
      .map((type) => `- {type: ${type}, name: ${type.toLowerCase()}}\n`)
      .join('')}`,
  );

let stop = (): void => {};
afterEach(() => stop());

it('reloads the file when it changes, unless it is invalid', async () => {
  const seen: string[] = [];
  const configure = async (all: readonly { readonly type: string }[]) => void seen.push(all.map(({ type }) => type).join());
  write('RBAC');
  stop = await followConfigurationFile(file, configure, silentLogger, 5);
  expect(seen).toEqual(['RBAC']);
  write('Node', 'RBAC');
  await expect.poll(() => seen).toEqual(['RBAC', 'Node,RBAC']);
  write('Magic');
  write('Node');
  await new Promise((resolve) => setTimeout(resolve, 50));
  write('RBAC', 'Node');
  await expect.poll(() => seen).toEqual(['RBAC', 'Node,RBAC', 'RBAC,Node']);
});

it('rejects a file that is invalid at start', async () => {
  write('Magic');
  await expect(followConfigurationFile(file, async () => {}, silentLogger)).rejects.toThrow('Unsupported value: "Magic"');
});
