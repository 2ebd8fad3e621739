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
 */

const keptLines = 200;
const detailLines = 25;

/**
 * Runs `go test -json` and yields a result for each test that has no subtests. A Ginkgo suite is one Go test; its specs are read
 * from the summary it prints.
 * @param {Context} context
 * @param {{ cwd: string, packages: readonly string[], args?: readonly string[], env?: Readonly<Record<string, string>> }} settings
 * @returns {AsyncIterable<Result>}
 */
export async function* goTest(context, { cwd, packages, args = [], env }) {
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
  /** By import path; what the go command itself says is under the empty one. @type {Map<string, string[]>} */
  const buildOutputs = new Map();
  const buildOutput = (/** @type {string} */ path) => buildOutputs.get(path) ?? [];
  let anyPackage = false;

  const stateOf = (/** @type {string} */ name) => {
    const state = packages.get(name) ?? new PackageState(shortName(name));
    packages.set(name, state);
    return state;
  };

  return {
    /** @param {GoEvent} event @returns {Generator<Result>} */
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
    /** @param {number} code @returns {Generator<Result>} */
    *end(code) {
      for (const state of packages.values()) yield { test: `${state.name} (package)`, outcome: 'failed', detail: 'did not end' };
      if (code !== 0 && !anyPackage)
        yield { test: 'go test', outcome: 'failed', detail: lastLines(buildOutput('')) || `ended with ${code}` };
    },
  };
}

/** A dependency that the proxy does not have says nothing about the server. */
const notFetched = /reading https?:\/\/\S+: (\d{3} |dial |Get )/;

/** What is known of a package while its tests run. */
class PackageState {
  /** @type {Map<string, string[]>} */
  #outputs = new Map();
  #parents = new Set();
  #failed = false;

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  /** @param {string | undefined} test @param {string} text */
  output(test = '', text) {
    const lines = this.#outputs.get(test) ?? [];
    keep(lines, text);
    this.#outputs.set(test, lines);
    if (test.includes('/')) this.#parents.add(test.slice(0, test.lastIndexOf('/')));
  }

  /** @param {string} test @param {string} action @returns {Generator<Result>} */
  *testEnded(test, action) {
    const lines = this.#outputs.get(test) ?? [];
    this.#outputs.delete(test);
    const specs = [...ginkgoResults(`${this.name} ${test}`, lines)];
    if (action === 'fail') this.#failed = true;
    if (specs.length > 0) yield* specs;
    // A parent fails with its subtests, which have been told of, unless it failed by itself.
    else if (!this.#parents.has(test) || (action === 'fail' && hasOwnFailure(lines)))
      yield goResult(this.name, test, action, lines);
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

/** Two lines of Ginkgo's summary: the counts, and one `[FAIL]` line for each spec that failed. */
const ginkgoCounts = /(\d+) Passed.*?(\d+) Failed.*?(\d+) Pending.*?(\d+) Skipped/;

/** @param {string} suite @param {readonly string[]} lines @returns {Generator<Result>} nothing if this is no Ginkgo suite */
export function* ginkgoResults(suite, lines) {
  const plain = lines.map(withoutColour);
  const counts = plain.map((line) => ginkgoCounts.exec(line)).find(Boolean);
  if (!counts) return;
  const [passed, failed, pending, skipped] = counts.slice(1).map(Number);
  if (passed > 0) yield { test: suite, outcome: 'passed', count: passed };
  if (pending + skipped > 0) yield { test: suite, outcome: 'skipped', count: pending + skipped };
  const named = failedSpecs(plain);
  for (const [spec, detail] of named) yield { test: `${suite}: ${spec}`, outcome: 'failed', detail };
  const unnamed = Math.max(failed, plain.some((line) => line.startsWith('FAIL!')) ? 1 : 0) - named.size;
  if (unnamed > 0) yield { test: suite, outcome: 'failed', count: unnamed, detail: lastLines(plain) };
}

/** @param {readonly string[]} lines @returns {Map<string, string>} detail by name */
function failedSpecs(lines) {
  const from = lines.findIndex((line) => line.startsWith('Summarizing '));
  /** @type {Map<string, string>} */
  const specs = new Map();
  if (from < 0) return specs;
  for (const [index, line] of lines.entries()) {
    const found = index > from ? /^\s*\[(?:FAIL|PANICKED!?|TIMEDOUT|INTERRUPTED)\] (.*)$/.exec(line.trimEnd()) : null;
    if (found) specs.set(found[1], detailOf(lines.slice(0, from), found[1]));
  }
  return specs;
}

/** The report of a spec begins with a line that marks it as failed and one with its name. @param {readonly string[]} lines @param {string} spec */
function detailOf(lines, spec) {
  const at = lines.findIndex((line) => line.trim() === spec);
  return at < 0
    ? ''
    : lines
        .slice(at + 1, at + 1 + detailLines)
        .join('')
        .trim();
}

/** @param {string} line */
function withoutColour(line) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return line.replace(/\u001b\[[\d;]*m/g, '');
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
