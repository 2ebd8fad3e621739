import { existsSync } from 'node:fs';
import { dirname, resolve as resolvePath } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that measure time or memory, or use all cores: they run one file at a time, after all others. */
const alone = {
  packages: [
    'packages/apiserver/src/filters/flow-control.test.ts',
    'packages/api/src/protobuf.test.ts',
    'packages/{machinery,builtin,crds}/src/**/bounds.test.ts',
    'packages/server/src/authentication/speed.test.ts',
  ],
  conversations: [
    'tests/{faults,fuzz,hostile,soak}/**/*.test.ts',
    'tests/kubectl/kubectl.test.ts',
    'tests/components/*.test.ts',
    'tests/metrics/{autoscaling,scale}.test.ts',
    'tests/package/package.test.ts',
    'tests/kubelet/gigabyte.test.ts',
    'tests/server/{watching,writing,flow-control}.test.ts',
    'tests/server/controllers/many-dependents.test.ts',
  ],
};

/** Tests without global state: they share processes, and thereby loaded modules. */
const units = ['packages/{api,builtin,crds,machinery}/src/**/*.test.ts'];

// The condition has a name of its own, because the sources are not in the tarballs.
const conditions = ['tsukube-source'];
const sources = { resolve: { conditions }, ssr: { resolve: { conditions } } };
const common = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' } as const;

/** Imports of a package's sources lead to its compiled modules. */
const compiledModules = {
  name: 'compiled-modules',
  enforce: 'pre' as const,
  resolveId(id: string, importer: string | undefined) {
    if (!importer || !id.startsWith('.')) return undefined;
    const compiled = resolvePath(dirname(importer), id).replace(/\/((?:packages|apps)\/[^/]+)\/src\/(.*)\.ts$/, '/$1/dist/$2.js');
    return compiled.endsWith('.js') && existsSync(compiled) ? { id: compiled, external: true as const } : undefined;
  },
};
const compiled = { plugins: [compiledModules], test: { server: { deps: { external: [/\/(?:packages|apps)\/[^/]+\/dist\//] } } } };

/**
 * Tests run the sources, so that a change needs no build. `npm test` builds the packages first: there the conversations with whole
 * servers run the compiled modules, which Node loads several times faster.
 */
const programs = process.env.TSUKUBE_TEST_BUILD === '1' ? compiled : { ...sources, test: {} };

/** Groups run one after another, the files of a group in two or three processes. */
export default defineConfig({
  test: {
    projects: [
      {
        ...sources,
        test: {
          ...common,
          name: 'units',
          include: units,
          exclude: alone.packages,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...sources,
        test: {
          ...common,
          name: 'packages',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...units, ...alone.packages],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...programs,
        test: {
          ...common,
          ...programs.test,
          name: 'conversations',
          include: ['tests/**/*.test.ts'],
          exclude: alone.conversations,
          // More than cores: most of these tests wait for timers, processes and disks.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...sources,
        test: { ...common, name: 'packages alone', include: alone.packages, maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
      {
        ...programs,
        test: {
          ...common,
          ...programs.test,
          name: 'alone',
          include: alone.conversations,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
