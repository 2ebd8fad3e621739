/**
 * @typedef {import('./suite.mjs').Context} Context
 * @typedef {import('./suite.mjs').Result} Result
 *
 * @typedef {object} Program
 * @property {string} command
 * @property {readonly string[]} args
 * @property {string} [cwd]
 * @property {Readonly<Record<string, string>>} [env]
 * @property {string} [prefix]  of the names of its tests
 * @property {readonly string[]} [flags]  of the server
 */

const checkLine = /^(ok|not ok|skip) ([^:]+)(?:: (.*))?$/;
const keptLines = 20;

/**
 * Runs a trial program against a durable server of its own. The program prints a line for each check, `@restart` to have the
 * server killed and started again, and exits with 0 if every check passed.
 * @param {Context} context @param {Program} program @returns {AsyncIterable<Result>}
 */
export async function* trialProgram(context, { command, args, cwd, env, prefix = '', flags = [] }) {
  const server = await context.startServer(['--storage=lmdb', ...flags]);
  const running = context.spawn(command, args, { cwd, env: { ...env, KUBECONFIG: server.kubeconfig }, input: true });
  const tail = [];
  let failures = 0;
  for await (const line of running.lines) {
    if (line === '@restart') {
      await server.restart();
      running.write('restarted\n');
      continue;
    }
    const result = readCheck(line, prefix);
    if (result === undefined) tail.push(line);
    else yield result;
    if (result?.outcome === 'failed') failures += 1;
    if (tail.length > keptLines) tail.shift();
  }
  const code = await running.exited;
  await server.stop();
  if (code !== 0 && failures === 0)
    yield { test: `${prefix}the program`, outcome: 'failed', detail: `ended with ${code}:\n${tail.join('\n')}` };
}

/** @param {string} line @param {string} prefix @returns {Result | undefined} */
export function readCheck(line, prefix) {
  const [, word, name, detail] = checkLine.exec(line) ?? [];
  if (name === undefined) return undefined;
  const test = `${prefix}${name}`;
  if (word === 'ok') return { test, outcome: 'passed' };
  return { test, outcome: word === 'skip' ? 'skipped' : 'failed', detail };
}
