import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readPluginConfigurations } from './configuration-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'admission-'));
afterAll(() => rmSync(directory, { recursive: true }));

function written(text: string): string {
  const file = join(directory, 'configuration.yaml');
  writeFileSync(file, text);
  return file;
}

const header = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const read = (text: string, ...enabled: string[]) =>
  readPluginConfigurations(written(text), (name) => enabled.length === 0 || enabled.includes(name));

describe('configuration of admission plugins', () => {
  it('is inline or in a file relative to the configuration', async () => {
    writeFileSync(join(directory, 'b.yaml'), 'x: 2');
    const text = `${header}plugins:\n- name: A\n  configuration: {x: 1}\n- name: B\n  path: b.yaml\n- name: C\n- name: A\n  configuration: {x: 9}\n`;
    expect(await read(text)).toEqual({ A: { x: 1 }, B: { x: 2 } });
    expect(await read(text, 'A')).toEqual({ A: { x: 1 } });
    expect(await read(text.replace('/v1\n', '/v1alpha1\n'), 'B')).toEqual({ B: { x: 2 } });
    expect(await readPluginConfigurations(undefined, () => true)).toEqual({});
  });

  it('is the whole file in the legacy format', async () => {
    const value = { podNodeSelectorPluginConfig: { a: 'b=c' } };
    expect(await read(JSON.stringify(value), 'PodNodeSelector')).toEqual({ PodNodeSelector: value });
  });

  // Messages of kube-apiserver 1.36.4.
  it.each([
    [
      `${header}foo: 1\nplugins:\n- name: A\n  bar: 2\n`,
      'strict decoding error: unknown field "foo", unknown field "plugins[0].bar"',
    ],
    ['apiVersion: apiserver.config.k8s.io/v1\n', "Object 'Kind' is missing in 'apiVersion: apiserver.config.k8s.io/v1\n'"],
    ['foo: bar\n', "Object 'Kind' is missing in 'foo: bar\n'"],
    [header.replace('AdmissionC', 'C'), 'no kind "Configuration" is registered for version "apiserver.config.k8s.io/v1"'],
    [
      `${header}plugins: x`,
      'json: cannot unmarshal string into Go struct field AdmissionConfiguration.plugins of type []v1.AdmissionPluginConfiguration',
    ],
    [
      `${header}plugins: [{name: 5}]`,
      'json: cannot unmarshal number into Go struct field AdmissionPluginConfiguration.plugins.name of type string',
    ],
    [
      `${header}plugins: []\nplugins: []`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "plugins" already set in map',
    ],
    ['apiVersion: [\n', 'yaml: line 2: '],
    [`${header}plugins: [{name: A, path: missing.yaml}]`, "Couldn't open admission plugin configuration"],
  ])('is refused: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.toThrow('failed to apply admission: failed to read plugin config: ');
  });

  it('names a missing file', async () => {
    const file = join(directory, 'none.yaml');
    await expect(readPluginConfigurations(file, () => true)).rejects.toThrow(
      `unable to read admission control configuration from "${file}" [open ${file}: no such file or directory]`,
    );
  });
});
