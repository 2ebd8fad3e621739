import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasCommand } from '../support/commands.ts';
import { useServer } from '../support/server.ts';
import { followsFromApply, knownDifferences, notComparedYet } from './known-differences.ts';

const golden = fileURLToPath(new URL('../../../shared/golden', import.meta.url));
const available = existsSync(join(golden, 'golden.mjs')) && hasCommand('kubectl');

interface Failure {
  readonly step: number;
  readonly request: string;
  readonly diffs: readonly string[];
}

interface Recording {
  readonly steps: readonly { readonly request: { readonly headers?: Readonly<Record<string, string>> } }[];
}

/** The steps of a recording that this server answers in another way, leaving out what is not compared yet. */
async function replay(name: string, kubeconfig: string): Promise<Failure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tsukube-golden-'));
  try {
    const [config, report] = [join(directory, 'kubeconfig'), join(directory, 'report.json')];
    writeFileSync(config, kubeconfig, { mode: 0o600 });
    const file = join(golden, 'recordings', `${name.replaceAll('/', '_')}.json`);
    const args = [join(golden, 'golden.mjs'), 'replay', '--kubeconfig', config, '--json', report, file];
    await promisify(execFile)(process.execPath, args).catch(() => {});
    const [{ failures }] = JSON.parse(readFileSync(report, 'utf8')) as [{ failures: Failure[] }];
    return compared(failures, JSON.parse(readFileSync(file, 'utf8')) as Recording);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function compared(failures: readonly Failure[], { steps }: Recording): Failure[] {
  const apply = steps.findIndex(({ request }) => request.headers?.['content-type']?.startsWith('application/apply-patch'));
  const counts = (step: number, diff: string) => {
    const where = diff.slice(0, diff.indexOf(':'));
    return !notComparedYet.test(where) && !(apply >= 0 && step > apply && followsFromApply.test(where));
  };
  return failures
    .filter(({ step }) => step !== apply)
    .map((failure) => ({ ...failure, diffs: failure.diffs.filter((diff) => counts(failure.step, diff)) }))
    .filter((failure) => failure.diffs.length > 0);
}

describe.skipIf(!available)('recorded answers of kube-apiserver', () => {
  // They were given by a server that has only what Kubernetes still has.
  const t = useServer({ runtimeConfig: { 'api/legacy': false } });

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
