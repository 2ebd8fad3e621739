import { spawnSync } from 'node:child_process';

/** @typedef {import('./suite.mjs').Tool} Tool */

/** A command for each tool that succeeds if the tool works, and prints its version. @type {Readonly<Record<Tool, readonly string[]>>} */
const probes = {
  go: ['go', 'version'],
  python: ['python3', '--version'],
  rust: ['cargo', '--version'],
  java: ['java', '-version'],
  maven: ['mvn', '--version'],
  helm: ['helm', 'version', '--short'],
  kubectl: ['kubectl', 'version', '--client'],
  etcd: ['etcd', '--version'],
  npm: ['npm', '--version'],
};

/** @type {Map<Tool, boolean>} */
const found = new Map();

/** @param {Tool} tool */
function isFound(tool) {
  const known = found.get(tool);
  if (known !== undefined) return known;
  const [command, ...args] = probes[tool];
  const works = spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
  found.set(tool, works);
  return works;
}

/** @param {readonly Tool[]} tools @returns {Tool[]} */
export function missingTools(tools) {
  return tools.filter((tool) => !isFound(tool));
}
