import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { StartOptions } from '@tsukube/server';
import { describe, expect, it } from 'vitest';
import { type Recording, readRecording, replay } from '../../scripts/golden/recording.mjs';
import { useServer } from '../support/server.ts';
import { knownDifferences } from './known-differences.ts';

const folder = fileURLToPath(new URL('./recordings/', import.meta.url));
const recordings = readdirSync(folder).map((file) => readRecording(`${folder}${file}`));

/** Ages in Tables of objects with a fixed past timestamp increase with every day. */
const agedOnly = /: want "\d+d", got "\d+d"$/;

/** The steps of a recording whose responses differ. */
async function differing(recording: Recording, kubeconfig: string) {
  const failures = await replay(recording, kubeconfig);
  return failures
    .map((failure) => ({ ...failure, diffs: failure.diffs.filter((diff) => !agedOnly.test(diff)) }))
    .filter(({ diffs }) => diffs.length > 0);
}

/** Flags of the recorded server: it had no removed API versions and no controller-manager that protects volumes. */
export const recordedOptions = {
  runtimeConfig: { 'api/legacy': false },
  controllers: [
    '*',
    ...['persistentvolumeclaim', 'persistentvolume', 'volumeattributesclass'].map((name) => `-${name}-protection-controller`),
  ],
};

/** Replays all recordings, or those whose names start with one of the prefixes, against a server with these options. */
export function describeReplay(title: string, options: StartOptions = {}, prefixes?: readonly string[]): void {
  describe(title, () => {
    const t = useServer({ ...recordedOptions, ...options });
    replayAll(() => t.server.kubeconfig, prefixes);
  });
}

/** A test for each recording, against the server of a kubeconfig. */
export function replayAll(kubeconfig: () => string, prefixes: readonly string[] = ['']): void {
  const selected = recordings.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));
  it.each(selected.map((each) => [each.name, each] as const))('%s', { timeout: 60_000 }, async (_, recording) => {
    const known = knownDifferences[recording.name] ?? {};
    const failures = await differing(recording, kubeconfig());
    expect(failures.filter(({ step }) => known[step] === undefined)).toEqual([]);
    const steps = failures.map(({ step }) => String(step));
    expect(
      Object.keys(known).filter((step) => !steps.includes(step)),
      'differences that are gone: take them off the list',
    ).toEqual([]);
  });
}
