import { ginkgoResults } from './ginkgo.mjs';

/**
 * @typedef {import('./suite.mjs').Context} Context
 * @typedef {import('./suite.mjs').Result} Result
 *
 * @typedef {object} GoEvent  a line of `go test -json`
 * @property {string} Action
 * @property {string} [Package]
 * @property {string} [ImportPath]
 * @property {string} [Test]
 * @property {string} [Output]
 * @property {string} [FailedBuild]  of a package that failed: the one whose build did
 *
 * @typedef {{ package: string, test: string, spec?: string }} Place  of a test; the spec is one of Ginkgo
 * @typedef {Result & { at?: Place }} GoResult
 *
 * @typedef {object} GoSettings
 * @property {string} cwd
 * @property {readonly string[]} packages
 * @property {readonly string[]} [args]
 * @property {Readonly<Record<string, string>>} [env]
 */

const keptLines = 200;
const detailLines = 25;

/** The maximum number of failed tests of a package that are retried; if more fail, timing is not the reason. */
const maxRetried = 10;

/**
 * Runs `go test -json` and yields a result for each test that has no subtests. A Ginkgo suite is one Go test; its specs are read
 * from the summary it prints. Failed tests are run once more, alone, because many depend on timing; only the second
 * result counts.
 * @param {Context} context @param {GoSettings} settings @returns {AsyncIterable<Result>}
 */
export async function* goTest(context, settings) {
  /** By package and test. @type {Map<string, GoResult[]>} */
  const failed = new Map();
  for await (const result of goTestOnce(context, settings)) {
    const { at, ...plain } = result;
    if (result.outcome !== 'failed' || at === undefined) yield plain;
    else failed.set(`${at.package} ${at.test}`, [...(failed.get(`${at.package} ${at.test}`) ?? []), result]);
  }
  for (const results of failed.values()) yield* retried(context, settings, results);
}

/** @param {Context} context @param {GoSettings} settings @returns {AsyncIterable<GoResult>} */
async function* goTestOnce(context, { cwd, packages, args = [], env }) {
  const nice = ['-n', '5', 'go', 'test', '-json', '-p', '1', '-mod=mod', '-count=1', ...args, ...packages];
  context.status('building');
  const running = context.spawn('nice', nice, { cwd, env });
  const reader = goEventReader();
  for await (const line of running.lines) {
    const event = parseEvent(line) ?? { Action: 'build-output', ImportPath: '', Output: `${line}\n` };
    if (event.Action === 'start') context.status(shortName(event.Package ?? ''));
    yield* reader.read(event);
  }
  yield* reader.end(await running.exited);
}

/** @param {Context} context @param {GoSettings} settings @param {readonly GoResult[]} results  of one Go test @returns {AsyncIterable<Result>} */
async function* retried(context, settings, results) {
  const again = results.length > maxRetried ? [] : await secondAttempt(context, settings, results);
  const passed = again.reduce((sum, { outcome, count = 1 }) => sum + (outcome === 'passed' ? count : 0), 0);
  const specs = results.filter(({ at }) => at?.spec !== undefined).length;
  const failures = again.filter(({ outcome }) => outcome === 'failed');
  for (const { at: _at, ...result } of results) {
    const failure = failures.find(({ test }) => test === result.test) ?? failures.find(({ at }) => at === undefined);
    // An attempt that ran fewer tests does not count.
    const isProven = passed + failures.length >= Math.max(specs, 1);
    if (failure === undefined && isProven) yield { test: result.test, outcome: 'passed', retried: true };
    else yield { ...result, detail: failure?.detail ?? result.detail };
  }
}

/** @param {Context} context @param {GoSettings} settings @param {readonly GoResult[]} results @returns {Promise<GoResult[]>} */
async function secondAttempt(context, settings, results) {
  const [{ package: name, test }] = results.map(({ at }) => /** @type {Place} */ (at));
  const specs = results.flatMap(({ at }) => (at?.spec === undefined ? [] : [escaped(at.spec)]));
  // Ginkgo matches the focus against the suite name and the text.
  const focus = specs.length === results.length ? ['-args', `-ginkgo.focus=(${specs.join('|')})$`] : [];
  const args = [...(settings.args ?? []), `-run=^${test}$`];
  const again = [];
  for await (const result of goTestOnce(context, { ...settings, args, packages: [name, ...focus] })) again.push(result);
  return again;
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** @param {string} line @returns {GoEvent | undefined} */
function parseEvent(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Turns the events of one run into results. */
export function goEventReader() {
  /** @type {Map<string, PackageState>} */
  const packages = new Map();
  /** By import path; output of the go command itself has the empty path. @type {Map<string, string[]>} */
  const buildOutputs = new Map();
  const buildOutput = (/** @type {string} */ path) => buildOutputs.get(path) ?? [];
  let anyPackage = false;

  const stateOf = (/** @type {string} */ name) => {
    const state = packages.get(name) ?? new PackageState(name);
    packages.set(name, state);
    return state;
  };

  return {
    /** @param {GoEvent} event @returns {Generator<GoResult>} */
    *read(event) {
      const path = event.ImportPath ?? '';
      if (event.Action === 'build-output') buildOutputs.set(path, [...buildOutput(path), event.Output ?? '']);
      if (event.Package === undefined) return;
      anyPackage = true;
      const state = stateOf(event.Package);
      if (event.Action === 'output') state.output(event.Test, event.Output ?? '');
      if (!['pass', 'fail', 'skip'].includes(event.Action)) return;
      if (event.Test !== undefined) yield* state.testEnded(event.Test, event.Action);
      else {
        yield* state.packageEnded(event.Action, event.FailedBuild === undefined ? [] : buildOutput(event.FailedBuild));
        packages.delete(event.Package);
      }
    },
    /** @param {number} code @returns {Generator<GoResult>} */
    *end(code) {
      for (const state of packages.values()) yield { test: `${state.name} (package)`, outcome: 'failed', detail: 'did not end' };
      if (code !== 0 && !anyPackage)
        yield { test: 'go test', outcome: 'failed', detail: lastLines(buildOutput('')) || `ended with ${code}` };
    },
  };
}

/** A missing dependency is not a failure of the server. */
const notFetched = /reading https?:\/\/\S+: (\d{3} |dial |Get )/;

/** State of a package while its tests run. */
class PackageState {
  /** @type {Map<string, string[]>} */
  #outputs = new Map();
  #parents = new Set();
  #failed = false;

  /** @param {string} path */
  constructor(path) {
    this.path = path;
    this.name = shortName(path);
  }

  /** @param {string | undefined} test @param {string} text */
  output(test = '', text) {
    const lines = this.#outputs.get(test) ?? [];
    keep(lines, text);
    this.#outputs.set(test, lines);
    if (test.includes('/')) this.#parents.add(test.slice(0, test.lastIndexOf('/')));
  }

  /** @param {string} test @param {string} action @returns {Generator<GoResult>} */
  *testEnded(test, action) {
    const lines = this.#outputs.get(test) ?? [];
    this.#outputs.delete(test);
    const at = { package: this.path, test: /** @type {string} */ (test.split('/')[0]) };
    const specs = [...ginkgoResults(`${this.name} ${test}`, lines)].map((result) => ({
      ...result,
      at: { ...at, spec: result.spec },
    }));
    if (action === 'fail') this.#failed = true;
    if (specs.length > 0) yield* specs;
    // A parent fails with its subtests, which are reported already. It is reported only if it has a failure of its own.
    else if (!this.#parents.has(test) || (action === 'fail' && hasOwnFailure(lines)))
      yield { ...goResult(this.name, test, action, lines), at };
  }

  /** @param {string} action @param {readonly string[]} buildOutput @returns {Generator<Result>} */
  *packageEnded(action, buildOutput) {
    if (action !== 'fail' || this.#failed) return;
    const lines = [...buildOutput, ...(this.#outputs.get('') ?? [])];
    const outcome = buildOutput.some((line) => notFetched.test(line)) ? 'skipped' : 'failed';
    yield { test: `${this.name} (package)`, outcome, detail: lastLines(lines) };
  }
}

/** @param {string} name @param {string} test @param {string} action @param {readonly string[]} lines @returns {Result} */
function goResult(name, test, action, lines) {
  if (action === 'pass') return { test: `${name} ${test}`, outcome: 'passed' };
  if (action === 'skip') return { test: `${name} ${test}`, outcome: 'skipped' };
  return { test: `${name} ${test}`, outcome: 'failed', detail: lastLines(lines) };
}

/** @param {readonly string[]} lines */
function hasOwnFailure(lines) {
  return lines.some((line) => /^\s+\S+\.go:\d+: /.test(line));
}

/** @param {string[]} lines @param {string} text */
function keep(lines, text) {
  lines.push(text);
  // Ginkgo prints its summary last; the failures themselves may be far above it.
  if (lines.length > keptLines * 100) lines.splice(0, keptLines);
}

/** @param {readonly string[]} lines */
function lastLines(lines) {
  return lines.slice(-detailLines).join('').trim();
}

/** @param {string} path  the part after the host and the project, such as `pkg/client` */
function shortName(path) {
  return path.replace(/^sigs\.k8s\.io\/[^/]+\/?|^github\.com\/[^/]+\/[^/]+\/?/, '') || path;
}
