/**
 * The contract between the harness and a suite. A suite is one file in `tests/ecosystem/suites`; its default export is a
 * `Suite`. The harness finds it by listing the folder, so nothing has to be registered.
 *
 * @typedef {'go' | 'python' | 'rust' | 'java' | 'maven' | 'helm' | 'kubectl' | 'etcd' | 'npm'} Tool
 *
 * @typedef {object} Suite
 * @property {string} name  the argument to run it: `npm run test:ecosystem -- NAME`. The file name without `.mjs`
 * @property {string} title  one line for `--list` and for the table
 * @property {readonly Tool[]} needs  programs that must be on the PATH; the suite is skipped if one is missing
 * @property {number} minutes  deadline of prepare and run together
 * @property {(context: Context) => Promise<Prepared>} prepare  fetches and builds what the suite needs, below `context.folder`.
 *   Idempotent: reuses what an earlier run has fetched
 * @property {(context: Context, prepared: Prepared) => AsyncIterable<Result>} run  runs the tests and yields a result as soon as
 *   there is one. It throws only if the suite itself could not run; a test that fails is a result
 *
 * @typedef {object} Prepared
 * @property {string} version  of the program under test, for the table
 * @property {string} folder  where `prepare` has put it
 *
 * @typedef {object} Result
 * @property {string} test  unique within the suite, the same in every run
 * @property {'passed' | 'failed' | 'skipped'} outcome
 * @property {number} [count]  number of tests, for runners that name only failed ones; 1 by default
 * @property {boolean} [retried]  it passed at the second attempt
 * @property {string} [detail]  for a failure: expected and actual result, in a few lines
 *
 * @typedef {object} Context
 * @property {string} folder  of this suite, below `.cache/ecosystem`; kept between runs
 * @property {AbortSignal} signal  aborts at the deadline and when the run is interrupted
 * @property {(text: string) => void} status  shown beside the name of the suite until the next one
 * @property {(command: string, args: readonly string[], options?: CommandOptions) => Promise<string>} exec  runs a command and
 *   resolves with its standard output; rejects with its last lines if it fails
 * @property {(command: string, args: readonly string[], options?: CommandOptions) => Running} spawn  runs a command and gives its
 *   lines, standard error included, as they come
 * @property {(flags?: readonly string[]) => Promise<TestServer>} startServer  a server of its own in memory, with the given flags of
 *   `tsukube serve`. It is stopped after the suite if the suite has not done so
 * @property {readonly string[]} command  runs `tsukube`, for suites that start servers themselves
 * @property {string} [kubeconfig]  of the running server that `--kubeconfig` names; then nothing is to be started
 * @property {() => Promise<string>} assets  a folder for KUBEBUILDER_ASSETS, created by `tsukube envtest`
 *
 * @typedef {object} CommandOptions
 * @property {string} [cwd]  `context.folder` if absent
 * @property {Readonly<Record<string, string>>} [env]  added to the environment of this process
 * @property {boolean} [input]  connects standard input, for `Running.write`
 *
 * @typedef {object} Running
 * @property {AsyncIterable<string>} lines
 * @property {Promise<number>} exited  the exit code; 1 if a signal ended it
 * @property {(text: string) => void} write  to its standard input, if `input` was asked for
 * @property {() => void} end  kills it and its children
 *
 * @typedef {object} TestServer
 * @property {string} url
 * @property {string} kubeconfig  path of the admin kubeconfig
 * @property {() => Promise<void>} restart  ends it with SIGKILL and starts it again on the same port; objects survive with
 *   `--storage=lmdb`. Does nothing to a server given by `--kubeconfig`
 * @property {() => Promise<void>} stop
 */

/** Thrown by a suite whose program is not available, for example because the registry is unreachable. */
export class Unavailable extends Error {}

/**
 * Runs named steps one after another and yields a result for each. For suites that are a sequence of trials rather than
 * a foreign test runner.
 * @param {Readonly<Record<string, () => Promise<void>>>} trials
 * @returns {AsyncIterable<Result>}
 */
export async function* runTrials(trials) {
  for (const [test, trial] of Object.entries(trials)) {
    try {
      await trial();
      yield { test, outcome: 'passed' };
    } catch (error) {
      yield { test, outcome: 'failed', detail: error instanceof Error ? error.message : String(error) };
    }
  }
}
