import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commands } from './harness/command.mjs';
import { goEventReader, goTest } from './harness/go-test.mjs';
import { knownFailure } from './harness/known-failures.mjs';
import { choose, parseOptions } from './harness/options.mjs';
import { mergeMarkdown, toText } from './harness/report.mjs';
import { runSuite } from './harness/run.mjs';
import { runTrials, Unavailable } from './harness/suite.mjs';
import { countResult, emptyTally } from './harness/tally.mjs';
import { trialProgram } from './harness/trial-program.mjs';
import { loadSuites } from './main.mjs';

type Event = Parameters<ReturnType<typeof goEventReader>['read']>[0];

const at = (Package: string, Test?: string) => ({
  out: (Output: string): Event => ({ Action: 'output', Package, Test, Output }),
  end: (Action: 'pass' | 'fail' | 'skip'): Event => ({ Action, Package, Test }),
});

function readAll(events: readonly Event[], code = 0): unknown[] {
  const reader = goEventReader();
  const results = [...events.flatMap((event) => [...reader.read(event)]), ...reader.end(code)];
  return results.map(({ test, outcome, count, detail }) => ({
    test,
    outcome,
    ...(count && { count }),
    ...(detail && { detail }),
  }));
}

describe('go test -json', () => {
  const pkg = 'sigs.k8s.io/controller-runtime/pkg/client';

  it('counts tests without subtests, and subtests', () => {
    const [parent, child] = [at(pkg, 'TestA'), at(pkg, 'TestA/sub')];
    const events = [
      child.out('    x.go:3: wrong\n'),
      child.end('fail'),
      parent.end('fail'),
      at(pkg, 'TestB').end('pass'),
      at(pkg, 'TestC').end('skip'),
      at(pkg).end('fail'),
    ];
    expect(readAll(events, 1)).toEqual([
      { test: 'pkg/client TestA/sub', outcome: 'failed', detail: 'x.go:3: wrong' },
      { test: 'pkg/client TestB', outcome: 'passed' },
      { test: 'pkg/client TestC', outcome: 'skipped' },
    ]);
  });

  it('reads the specs of a Ginkgo suite', () => {
    const suite = at(pkg, 'TestSource');
    const output = [
      '\u001b[38;5;9m• [FAILED] [0.002 seconds]\u001b[0m\n',
      'Client [It] should get\n',
      '\u001b[38;5;9m[FAILED] Expected 1 to equal 2\u001b[0m\n',
      'Summarizing 1 Failure:\n',
      '  \u001b[38;5;9m[FAIL]\u001b[0m Client \u001b[1m[It] should get\u001b[0m\n',
      'Ran 12 of 15 Specs in 1.234 seconds\n',
      '\u001b[1mFAIL!\u001b[0m -- \u001b[1m11 Passed\u001b[0m | \u001b[1m1 Failed\u001b[0m | \u001b[1m1 Pending\u001b[0m | \u001b[1m2 Skipped\u001b[0m\n',
    ];
    expect(readAll([...output.map(suite.out), suite.end('fail'), at(pkg).end('fail')], 1)).toEqual([
      { test: 'pkg/client TestSource', outcome: 'passed', count: 11 },
      { test: 'pkg/client TestSource', outcome: 'skipped', count: 3 },
      { test: 'pkg/client TestSource: Client [It] should get', outcome: 'failed', detail: expect.stringContaining('to equal 2') },
    ]);
  });

  it('fails a Ginkgo suite whose setup failed, although no spec did', () => {
    const suite = at(pkg, 'TestSource');
    const output = ['FAIL! -- A BeforeSuite node failed so all tests were skipped.\n', 'Ran 0 of 9 Specs\n'];
    expect(readAll([...output.map(suite.out), suite.end('fail'), at(pkg).end('fail')], 1)).toEqual([
      { test: 'pkg/client TestSource', outcome: 'failed', detail: expect.stringContaining('BeforeSuite') },
    ]);
  });

  it.each([
    ['a package that panics', [at(pkg).out('panic: boom\n'), at(pkg).end('fail')], 'panic: boom'],
    [
      'one that does not build',
      [
        { Action: 'build-output', ImportPath: 'dep', Output: 'undefined: x\n' },
        { Action: 'build-output', ImportPath: '', Output: 'go: downloading\n' },
        { ...at(pkg).end('fail'), FailedBuild: 'dep' },
      ],
      /^undefined: x$/,
    ],
    ['truncated output', [at(pkg).out('…\n')], 'did not end'],
    ['a run without any package', [{ Action: 'build-output', Output: 'no go.mod\n' }], 'no go.mod'],
  ])('fails %s', (_, events: Event[], detail) => {
    expect(readAll(events, 1)).toMatchObject([{ outcome: 'failed', detail: expect.stringMatching(detail) }]);
  });

  it('skips a package with a dependency that the proxy does not have', () => {
    const output = 'a.go:1:2: x@v1: reading https://proxy.golang.org/x/@v/v1.zip: 403 Forbidden\n';
    const events = [
      { Action: 'build-output', ImportPath: 'x', Output: output },
      { ...at(pkg).end('fail'), FailedBuild: 'x' },
    ];
    expect(readAll(events, 1)).toMatchObject([{ outcome: 'skipped' }]);
  });
});

describe('a Go test that fails', () => {
  const pkg = 'sigs.k8s.io/controller-runtime/pkg/manager';
  const failure = (test: string, ...lines: string[]) => [
    ...lines.map(at(pkg, test).out),
    at(pkg, test).end('fail'),
    at(pkg).end('fail'),
  ];
  const success = (test: string) => [at(pkg, test).end('pass'), at(pkg).end('pass')];
  const ginkgo = [
    'Summarizing 1 Failure:\n',
    '  [FAIL] Manager Start [It] stops (all) [slow]\n',
    '0 Passed | 1 Failed | 0 Pending | 0 Skipped\n',
  ];

  /** Simulates `go test` with the given output per attempt; returns the results and the arguments of the attempts. */
  async function attempts(...outputs: Event[][]) {
    const calls: string[][] = [];
    const spawn = (_command: string, args: string[]) => {
      const events = outputs[calls.push(args) - 1] ?? [];
      const lines = (async function* () {
        for (const event of events) yield JSON.stringify(event);
      })();
      return { lines, exited: Promise.resolve(1) };
    };
    const results = [];
    const context = { spawn, status() {} } as never;
    for await (const result of goTest(context, { cwd: '.', packages: ['./...'], args: ['-timeout=1m'] })) results.push(result);
    return { results, again: calls[1]?.slice(calls[1].indexOf('-timeout=1m') + 1) };
  }

  it('is run again alone, and passes if that passes', async () => {
    const { results, again } = await attempts(failure('TestA'), success('TestA'));
    expect(results).toEqual([{ test: 'pkg/manager TestA', outcome: 'passed', retried: true }]);
    expect(again).toEqual(['-run=^TestA$', pkg]);
  });

  it('fails if it fails again', async () => {
    const { results } = await attempts(failure('TestA', 'first\n'), failure('TestA', 'second\n'));
    expect(results).toEqual([{ test: 'pkg/manager TestA', outcome: 'failed', detail: 'second' }]);
  });

  it('fails if the second attempt does not build', async () => {
    const { results } = await attempts(failure('TestA'), [at(pkg).end('fail')]);
    expect(results).toMatchObject([{ test: 'pkg/manager TestA', outcome: 'failed' }]);
  });

  it('is run with a focus if it is a Ginkgo spec', async () => {
    const passing = at(pkg, 'TestSource').out('1 Passed | 0 Failed | 0 Pending | 9 Skipped\n');
    const { results, again } = await attempts(failure('TestSource', ...ginkgo), [passing, ...success('TestSource')]);
    expect(results).toMatchObject([{ outcome: 'passed', retried: true }]);
    expect(again).toEqual(['-run=^TestSource$', pkg, '-args', '-ginkgo.focus=(Manager Start stops \\(all\\))$']);
  });

  it('fails if the second attempt did not run it', async () => {
    const nothing = at(pkg, 'TestSource').out('0 Passed | 0 Failed | 0 Pending | 10 Skipped\n');
    const { results } = await attempts(failure('TestSource', ...ginkgo), [nothing, ...success('TestSource')]);
    expect(results).toMatchObject([{ outcome: 'failed' }]);
    expect((await attempts(failure('TestA'), [at(pkg).end('pass')])).results).toMatchObject([{ outcome: 'failed' }]);
  });
});

describe('a run of a suite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsukube-harness-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const printed: string[] = [];
  const progress = { begin() {}, status() {}, end() {}, close() {}, print: (text: string) => printed.push(text) };
  const suite = (run: () => AsyncIterable<never>, minutes = 1) => ({
    name: 'x',
    title: 'X',
    needs: [],
    minutes,
    prepare: async () => ({ version: '1', folder }),
    run,
  });
  const start = (given: unknown) => runSuite(given as never, progress, { folder, signal: new AbortController().signal });

  it('counts the results', async () => {
    const trials = { good: async () => {}, bad: async () => Promise.reject(new Error('wrong')) };
    const tally = await start(suite(() => runTrials(trials) as AsyncIterable<never>));
    expect(tally).toMatchObject({ version: '1', passed: 1, failed: 1, failures: [{ test: 'bad', detail: 'wrong' }] });
    expect(printed.at(-1)).toContain('FAILED  bad');
  });

  it('fails if the suite itself throws, and keeps earlier results', async () => {
    const tally = await start(
      suite(async function* () {
        yield { test: 'a', outcome: 'passed' } as never;
        throw new Error('no route');
      }),
    );
    expect(tally).toMatchObject({ passed: 1, failed: 1, failures: [{ detail: 'no route' }] });
  });

  it('ends commands and their children at the deadline', async () => {
    const given = suite(async function* (this: unknown) {} as never, 0.005);
    const run = async function* (context: { spawn: (c: string, a: string[]) => { exited: Promise<number> } }) {
      const code = await context.spawn('sh', ['-c', 'sleep 60 & wait']).exited;
      yield { test: `ended with ${code}`, outcome: 'passed' };
    };
    const tally = await start({ ...given, run });
    expect(tally).toMatchObject({ passed: 1, failed: 1, failures: [{ detail: 'did not end within 0.005 minutes' }] });
    expect(readFileSync(join(folder, 'x.log'), 'utf8')).toContain('$ sh -c');
  });

  it('is not run if a tool is missing or the registry is unreachable', async () => {
    const unavailable = suite(() => {
      throw new Unavailable('the registry does not answer');
    });
    expect(await start(unavailable)).toMatchObject({ notRun: 'the registry does not answer', failed: 0 });
  });
});

describe('the report', () => {
  const tally = (suite: string, passed: number) => ({ ...emptyTally(suite, 'own suites'), version: 'v1', passed, seconds: 61 });

  it('keeps the rows of suites that did not run', () => {
    const first = mergeMarkdown('', [tally('b', 1), tally('a', 2)], '2026-01-01');
    const second = mergeMarkdown(first, [tally('b', 3), { ...tally('a', 0), notRun: 'go not found' }], '2026-02-02');
    expect(second.split('\n').slice(2)).toEqual([
      '| `a` own suites | v1 | 2 | 0 | 0 | 0 | 0 | 1m01s | 2026-01-01 |',
      '| `b` own suites | v1 | 3 | 0 | 0 | 0 | 0 | 1m01s | 2026-02-02 |',
    ]);
  });

  it('lists failures by suite, known ones with the reason', () => {
    const failing = tally('a', 0);
    countResult(failing, { test: 'known one', outcome: 'failed' }, (suite, test) => ({
      suite,
      test,
      because: 'kubernetes',
      reason: 'the network',
    }));
    countResult(failing, { test: 'ours', outcome: 'failed', count: 2 }, () => undefined);
    expect(failing).toMatchObject({ failed: 2, kubernetes: 1 });
    const markdown = mergeMarkdown('', [failing], '2026-01-01');
    expect(markdown).toContain('- `a` known one: fails on kube-apiserver too: the network\n- `a` ours: **fails here only**');
    expect(toText([failing])).toContain('Failures:\n  a: ours');
    expect(mergeMarkdown(markdown, [tally('a', 1)], '2026-01-02')).not.toContain('known one');
  });
});

it('matches known failures by name or by pattern', () => {
  const because = 'missing' as const;
  const table = [
    { suite: 'a', test: 'x', because, reason: 'one' },
    { suite: 'a', test: /^y\d/, because, reason: 'two' },
  ];
  expect(['x', 'y1', 'xx'].map((test) => knownFailure('a', test, table)?.reason)).toEqual(['one', 'two', undefined]);
  expect(knownFailure('b', 'x', table)).toBeUndefined();
});

it('selects suites by name and refuses unknown ones', async () => {
  const suites = await loadSuites();
  expect(choose(suites, []).length).toBe(suites.length);
  expect(() => choose(suites, ['nonsense'])).toThrow('no suite is called nonsense');
  expect(() => parseOptions(['--publish', '--assets', 'x'])).toThrow('this server only');
});

it('finds all suites, which implement the interface and are named like their files', async () => {
  for (const suite of await loadSuites()) {
    expect(suite).toMatchObject({
      name: expect.stringMatching(/^[a-z0-9-]+$/),
      title: expect.any(String),
      minutes: expect.any(Number),
    });
    expect(Array.isArray(suite.needs) && typeof suite.prepare === 'function' && typeof suite.run === 'function').toBe(true);
  }
});

describe('a trial program', () => {
  const trial = (script: string) => {
    let restarts = 0;
    const signal = new AbortController().signal;
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-harness-'));
    const server = { url: '', kubeconfig: 'k', stop: async () => {}, restart: async () => void restarts++ };
    const context = { ...commands({ folder, log: join(folder, 'log'), signal }), startServer: async () => server };
    const results = async () => {
      const all = [];
      for await (const result of trialProgram(context as never, { command: 'sh', args: ['-c', script], prefix: 'p ' }))
        all.push(result);
      rmSync(folder, { recursive: true });
      return all;
    };
    return { results, restarts: () => restarts };
  };

  it('reports a result for each check, and restarts the server on request', async () => {
    const { results, restarts } = trial('echo ok a; echo @restart; read x; echo "not ok b: $x"; echo noise; exit 1');
    expect(await results()).toEqual([
      { test: 'p a', outcome: 'passed' },
      { test: 'p b', outcome: 'failed', detail: 'restarted' },
    ]);
    expect(restarts()).toBe(1);
  });

  it('fails if it ends early', async () => {
    const { results } = trial('echo ok a; echo boom >&2; exit 3');
    expect(await results()).toMatchObject([{ outcome: 'passed' }, { test: 'p the program', detail: 'ended with 3:\nboom' }]);
  });
});
