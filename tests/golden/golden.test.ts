import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasCommand } from '../support/commands.ts';
import { useServer } from '../support/server.ts';
import { knownDifferences } from './known-differences.ts';

const golden = fileURLToPath(new URL('../../../shared/golden', import.meta.url));
const available = existsSync(join(golden, 'golden.mjs')) && hasCommand('kubectl');

interface Failure {
  readonly step: number;
  readonly request: string;
  readonly diffs: readonly string[];
}

/** Objects that name a day of the past in a table grow older, here as there. */
const agedOnly = /: want "\d+d", got "\d+d"$/;

/** The steps of a recording that this server answers in another way. */
async function replay(name: string, kubeconfig: string): Promise<Failure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tsukube-golden-'));
  try {
    const [config, report] = [join(directory, 'kubeconfig'), join(directory, 'report.json')];
    writeFileSync(config, kubeconfig, { mode: 0o600 });
    const file = join(golden, 'recordings', `${name.replaceAll('/', '_')}.json`);
    const args = [join(golden, 'golden.mjs'), 'replay', '--kubeconfig', config, '--json', report, file];
    await promisify(execFile)(process.execPath, args).catch(() => {});
    const [{ failures }] = JSON.parse(readFileSync(report, 'utf8')) as [{ failures: Failure[] }];
    return failures
      .map((failure) => ({ ...failure, diffs: failure.diffs.filter((diff) => !agedOnly.test(diff)) }))
      .filter(({ diffs }) => diffs.length > 0);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe.skipIf(!available)('recorded answers of kube-apiserver', () => {
  // They were given by a server that has only what Kubernetes still has, without a controller manager that protects volumes.
  const protections = ['persistentvolumeclaim', 'persistentvolume', 'volumeattributesclass'];
  const controllers = ['*', ...protections.map((name) => `-${name}-protection-controller`)];
  const t = useServer({ runtimeConfig: { 'api/legacy': false }, controllers });

  it.each(Object.keys(knownDifferences))('%s', { timeout: 60_000 }, async (name) => {
    const known = knownDifferences[name] as Record<number, string>;
    const failures = await replay(name, t.server.kubeconfig);
    expect(failures.filter(({ step }) => known[step] === undefined)).toEqual([]);
    const differing = failures.map(({ step }) => String(step));
    expect(
      Object.keys(known).filter((step) => !differing.includes(step)),
      'differences that are gone: take them off the list',
    ).toEqual([]);
  });
});
