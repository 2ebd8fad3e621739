import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptionMetrics, Registry, silentLogger } from '@tsukube/apiserver';
import { systemClock } from '@tsukube/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadEncryption } from './load.ts';

interface Recorded {
  readonly name: string;
  readonly config: string;
  /** Null if kube-apiserver starts. */
  readonly error: string | null;
}

/** Output of kube-apiserver 1.36.4 for files given to --encryption-provider-config. */
const recorded = JSON.parse(
  readFileSync(new URL('recorded/configurations.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

/** kube-apiserver quotes the file, its keys or Go names where this server uses other words. */
const inOtherWords: Readonly<Record<string, RegExp>> = {
  'not an object': /couldn't get version\/kind/,
  'no kind': /Object 'Kind' is missing$/,
  'other kind': /no kind "Other" is registered for version "apiserver.config.k8s.io\/v1"$/,
  'other version': /no kind "EncryptionConfiguration" is registered for version "apiserver.config.k8s.io\/v2"$/,
  'other config kind': /no kind "AdmissionConfiguration" is registered/,
  'two in one provider': /resources\[0\].providers\[0\]: Invalid value: "REDACTED": more than one provider specified/,
  'two with aescbc': /resources\[0\].providers\[0\]: Invalid value: "REDACTED": more than one provider specified/,
};

let directory: string;
let file: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'encryption-'));
  file = join(directory, 'config.yaml');
});
afterAll(() => rmSync(directory, { recursive: true }));

async function load(config: string, reload = false): Promise<string | null> {
  writeFileSync(file, config);
  const metrics = encryptionMetrics(new Registry(), 'test', Date.now);
  try {
    const { kms } = await loadEncryption({ file, reload, metrics, clock: systemClock, logger: silentLogger });
    kms.close();
    return null;
  } catch (error) {
    return (error as Error).message.replaceAll(file, 'FILE');
  }
}

describe('a configuration', () => {
  it.each(recorded)('is validated as by kube-apiserver: $name', async ({ name, config, error }) => {
    const said = await load(config);
    const words = inOtherWords[name];
    if (words) expect(said).toMatch(words);
    else expect(said).toBe(error);
  });

  it.each(recorded)('is refused without showing a key: $name', async ({ config }) => {
    expect(String(await load(config))).not.toContain('AAECAwQF');
  });

  it('that does not exist is rejected', async () => {
    rmSync(file, { force: true });
    const metrics = encryptionMetrics(new Registry(), 'test', Date.now);
    const loading = loadEncryption({ file, reload: false, metrics, clock: systemClock, logger: silentLogger });
    await expect(loading).rejects.toThrow(
      /^error while parsing file: error while loading file: error reading encryption provider/,
    );
  });
});
