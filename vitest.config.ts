import { defineConfig } from 'vitest/config';

/** Tests that measure time or memory, or use all cores: they run one file at a time, after all others. */
const alone = [
  'tests/{crash,faults,fuzz,hostile,kubectl,replicas,soak}/**/*.test.ts',
  'tests/client/soak.test.ts',
  'tests/components/*.test.ts',
  'tests/package/*.test.ts',
  'tests/kubelet/gigabyte.test.ts',
  'tests/ecosystem/client-go.test.ts',
  'tests/server/{watching,writing,flow-control}.test.ts',
  'packages/apiserver/src/filters/flow-control.test.ts',
  'packages/api/src/protobuf.test.ts',
  'packages/{machinery,builtin,crds}/src/**/bounds.test.ts',
  'packages/server/src/authentication/speed.test.ts',
  'packages/storage/src/{etcd,mysql,postgres}/*.test.ts',
  'tests/server/sql*.test.ts',
];

/** Tests without global state: they share processes, and thereby loaded modules. */
const units = ['packages/{api,builtin,crds,machinery}/src/**/*.test.ts'];

const common = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' } as const;
// Tests run the sources. The condition has a name of its own, because the sources are not in the tarballs.
const conditions = ['tsukube-source'];
const resolve = { resolve: { conditions }, ssr: { resolve: { conditions } } };

/** Groups run one after another, the files of a group in two processes. */
export default defineConfig({
  test: {
    projects: [
      {
        ...resolve,
        test: {
          ...common,
          name: 'units',
          include: units,
          exclude: alone,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...resolve,
        test: {
          ...common,
          name: 'conversations',
          include: ['packages/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...units, ...alone],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      { ...resolve, test: { ...common, name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});
