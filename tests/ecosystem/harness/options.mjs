import { parseArgs } from 'node:util';

export const help = `Usage: npm run test:ecosystem -- [options] [SUITE …]

Runs the suites of programs that people use with Kubernetes against this server: all of them, or those named. They are fetched from
the registries of their languages; a suite whose language is not installed is skipped.

  --list              print the suites and what they need, run nothing
  --publish           write the results into docs/compatibility.md; rows of suites that did not run stay
  --assets DIR        KUBEBUILDER_ASSETS for the suites that use envtest, for example those of a kube-apiserver
  --kubeconfig FILE   a running server for the other suites, instead of one started for each
  --no-build          do not build before starting
  --help
`;

const flags = /** @type {const} */ ({
  list: { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  assets: { type: 'string' },
  kubeconfig: { type: 'string' },
  'no-build': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

/**
 * @typedef {object} Options
 * @property {boolean} list
 * @property {boolean} publish
 * @property {string} [assets]
 * @property {string} [kubeconfig]
 * @property {string[]} names
 */

/** @param {string[]} args @returns {Options | 'help'} */
export function parseOptions(args) {
  const { values, positionals } = parseArgs({ args, options: flags, allowPositionals: true });
  if (values.help) return 'help';
  if (values.publish && (values.assets ?? values.kubeconfig)) throw new Error('--publish is for runs against this server only');
  return { list: values.list, publish: values.publish, assets: values.assets, kubeconfig: values.kubeconfig, names: positionals };
}

/**
 * @template {{ readonly name: string }} T
 * @param {readonly T[]} all @param {readonly string[]} names @returns {readonly T[]} all if no name is given
 */
export function choose(all, names) {
  const unknown = names.filter((name) => !all.some((suite) => suite.name === name));
  if (unknown.length > 0)
    throw new Error(`no suite is called ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}
