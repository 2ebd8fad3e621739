import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Options
 * @property {string} [peer]
 * @property {string} [peerStart]
 * @property {string} [peerStop]
 * @property {string} [peerName]
 * @property {number[]} peerPids
 * @property {string} [kubeconfig]
 * @property {'lmdb' | 'postgres' | 'mysql'} storage
 * @property {number[]} pids
 * @property {boolean} quick
 * @property {number} rounds
 * @property {number} objects
 * @property {number} inFlight
 * @property {number} drivers
 * @property {number} budgetSeconds
 * @property {string[]} only
 * @property {boolean} publish
 */

export const help = `Usage: npm run bench -- [options]

Starts the server from its build with an empty data folder, drives it over HTTPS from separate processes and prints a table.
Accepts only servers on a loopback address.

  --peer KUBECONFIG        run the same work against another API server, row by row in turn, and compare
  --peer-start COMMAND     command that starts the peer with empty data and returns when it is ready; measured. A last
                           line such as 123,456 gives its process ids. Its data is disposable
  --peer-stop COMMAND      command that stops the peer again; not measured
  --peer-pids PID,PID      process ids of a running peer, to read its memory
  --peer-name NAME         name of the peer in the table
  --kubeconfig KUBECONFIG  use a running server instead of starting one
  --storage NAME           lmdb (default), postgres or mysql: starts that database too, with fsync
  --pids PID,PID           its process ids, to read its memory
  --rounds N               rounds per row, of which the median counts (3; with --quick 1)
  --quick                  about a minute: shorter rows, at most 10,000 objects
  --only ROW,ROW           rows or prefixes of them: create, get, list-10k, watch-100, memory ...
                           overload, controllers-idle and crds-2000 are measured only on request
  --rows ROW,ROW           the same
  --objects N              objects in the longest list (100000)
  --in-flight N            concurrent requests of the object rows (64)
  --drivers N              driver processes
  --budget SECONDS         no round starts later (540)
  --no-build               do not build before starting
  --publish                also replace docs/images/bench.svg and the table in docs/performance.md
  --help
`;

const flags = /** @type {const} */ ({
  peer: { type: 'string' },
  'peer-start': { type: 'string' },
  'peer-stop': { type: 'string' },
  'peer-pids': { type: 'string' },
  'peer-name': { type: 'string' },
  kubeconfig: { type: 'string' },
  pids: { type: 'string' },
  storage: { type: 'string', default: 'lmdb' },
  rounds: { type: 'string' },
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  rows: { type: 'string', default: '' },
  objects: { type: 'string' },
  'in-flight': { type: 'string', default: '64' },
  drivers: { type: 'string' },
  budget: { type: 'string', default: '540' },
  'no-build': { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

/** @param {string} flag @param {string} text @param {number} min @param {number} max */
function wholeNumber(flag, text, min, max) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${flag} must be a whole number from ${min} to ${max}, not ${text}`);
}

/** @param {string} name @returns {'lmdb' | 'postgres' | 'mysql'} */
function storageName(name) {
  if (name === 'lmdb' || name === 'postgres' || name === 'mysql') return name;
  throw new Error(`--storage must be lmdb, postgres or mysql, not ${name}`);
}

/** @param {string} flag @param {string | undefined} text */
function pidList(flag, text) {
  return text ? text.split(',').map((pid) => wholeNumber(flag, pid, 1, 2 ** 22)) : [];
}

/** One driver process suffices for a server on two cores; more help only if cores are idle. */
function defaultDrivers() {
  return Math.min(4, Math.max(1, Math.floor(cpus().length / 4)));
}

/** @param {string[]} args @returns {Options | 'help'} */
export function parseOptions(args) {
  const { values } = parseArgs({ args, options: flags });
  if (values.help) return 'help';
  if (values['peer-start'] && !values.peer) throw new Error('--peer-start needs --peer KUBECONFIG');
  return {
    peer: values.peer,
    peerStart: values['peer-start'],
    peerStop: values['peer-stop'],
    peerName: values['peer-name'],
    peerPids: pidList('peer-pids', values['peer-pids']),
    kubeconfig: values.kubeconfig,
    pids: pidList('pids', values.pids),
    storage: storageName(values.storage),
    quick: values.quick,
    rounds: wholeNumber('rounds', values.rounds ?? (values.quick ? '1' : '3'), 1, 99),
    objects: wholeNumber('objects', values.objects ?? (values.quick ? '10000' : '100000'), 1000, 1_000_000),
    inFlight: wholeNumber('in-flight', values['in-flight'], 1, 1000),
    drivers: wholeNumber('drivers', values.drivers ?? String(defaultDrivers()), 1, 64),
    budgetSeconds: wholeNumber('budget', values.budget, 1, 86_400),
    only: `${values.only},${values.rows}`.split(',').filter(Boolean),
    publish: values.publish,
  };
}

/** @param {string[]} args @returns {string} the command line of this run, without local paths */
export function commandLine(args) {
  const placeholders = new Map([
    ['--peer', 'KUBECONFIG'],
    ['--peer-start', 'COMMAND'],
    ['--peer-stop', 'COMMAND'],
    ['--peer-pids', 'PIDS'],
    ['--kubeconfig', 'KUBECONFIG'],
    ['--pids', 'PIDS'],
  ]);
  const words = args.flatMap((arg) => (arg.startsWith('--') && arg.includes('=') ? splitOnce(arg) : [arg]));
  const shown = words.map(
    (word, index) => placeholders.get(words[index - 1] ?? '') ?? (/[^\w.,:/=-]/.test(word) ? `'${word}'` : word),
  );
  return ['npm run bench --', ...shown].join(' ').replace(/ --$/, '');
}

/** @param {string} arg */
function splitOnce(arg) {
  const at = arg.indexOf('=');
  return [arg.slice(0, at), arg.slice(at + 1)];
}
