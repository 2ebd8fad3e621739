import { fileURLToPath } from 'node:url';
import type { StartOptions } from '@tsukube/server';
import { describe, expect, it } from 'vitest';
import { readRecording, replay } from '../../scripts/golden/recording.mjs';
import { useServer } from '../support/server.ts';
import { knownDifferences } from './known-differences.ts';

const recordings = fileURLToPath(new URL('./recordings/', import.meta.url));

/** Ages in Tables of objects with a fixed past timestamp increase with every day. */
const agedOnly = /: want "\d+d", got "\d+d"$/;

/** The steps of a recording whose responses differ. */
async function differing(name: string, kubeconfig: string) {
  const failures = await replay(readRecording(`${recordings}${name.replaceAll('/', '_')}.json`), kubeconfig);
  return failures
    .map((failure) => ({ ...failure, diffs: failure.diffs.filter((diff) => !agedOnly.test(diff)) }))
    .filter(({ diffs }) => diffs.length > 0);
}

/** Replays all recordings against a server with these options. */
export function describeReplay(title: string, options: StartOptions = {}): void {
  describe(title, () => {
    // The recorded server had no removed API versions and no controller-manager that protects volumes.
    const protections = ['persistentvolumeclaim', 'persistentvolume', 'volumeattributesclass'];
    const controllers = ['*', ...protections.map((name) => `-${name}-protection-controller`)];
    const t = useServer({ runtimeConfig: { 'api/legacy': false }, controllers, ...options });

    it.each(Object.keys(knownDifferences))('%s', { timeout: 60_000 }, async (name) => {
      const known = knownDifferences[name] as Record<number, string>;
      const failures = await differing(name, t.server.kubeconfig);
      expect(failures.filter(({ step }) => known[step] === undefined)).toEqual([]);
      const steps = failures.map(({ step }) => String(step));
      expect(
        Object.keys(known).filter((step) => !steps.includes(step)),
        'differences that are gone: take them off the list',
      ).toEqual([]);
    });
  });
}
