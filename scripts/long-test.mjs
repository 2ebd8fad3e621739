#!/usr/bin/env node
// Long variants of tests with progress output and a verdict: node scripts/long-test.mjs crash|fuzz|replicas|workers|soak|client|metrics|faults [flags]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { root } from './root.mjs';
import { prepareTools } from './test-tools.mjs';

const seed = { default: () => String(Date.now() % 1_000_000), about: 'seed of an earlier run, to repeat it' };

/** Each flag becomes an environment variable such as `CRASH_KILLS`. */
const commands = {
  crash: {
    about: 'kills the server under writers and watchers',
    tests: ['tests/crash/crash.test.ts'],
    flags: {
      kills: { default: () => '1000', about: 'how often' },
      storage: { default: () => 'lmdb', about: '`lmdb`, or `etcd`, `postgres`, `mysql`: then the database is killed too' },
      seed,
    },
  },
  fuzz: {
    about: 'sends valid objects of every kind, mutated',
    tests: ['tests/hostile/fuzz.test.ts', 'tests/fuzz/fuzz.test.ts'],
    flags: { requests: { default: () => '1000000', about: 'how many' }, seed },
  },
  replicas: {
    about:
      'kills three replicas and the members of their store under writers, readers and watchers; the history must be linearizable',
    tests: ['tests/replicas/replicas.test.ts'],
    flags: {
      seconds: { default: () => '120', about: 'how long; 3600 for an hour' },
      storage: { default: () => 'etcd', about: 'the store of the replicas' },
      seed,
    },
  },
  workers: {
    about: 'kills the processes of a server with --workers under writers, readers and watchers; the history must be linearizable',
    tests: ['tests/workers/kills.test.ts', 'tests/workers/faults.test.ts'],
    flags: {
      seconds: { default: () => '120', about: 'how long' },
      count: { default: () => '3', about: 'number of processes' },
      seed,
    },
  },
  soak: {
    about: 'mixed clients for a long time; memory and file size must not grow',
    tests: ['tests/soak/soak.test.ts'],
    flags: { minutes: { default: () => '60', about: 'how long' }, seed },
  },
  client: {
    about: 'informers under writes, cut connections and server restarts',
    tests: ['tests/client/soak.test.ts'],
    flags: {
      minutes: { default: () => '10', about: 'how long' },
      peer: { default: () => '', about: 'kubeconfig of another API server, which is not restarted' },
      seed,
    },
  },
  metrics: {
    about: 'metrics-server with many stand-in kubelets of 30 pods each, all scraped within a period in under 200 MiB',
    tests: ['tests/metrics/scale.test.ts'],
    flags: { kubelets: { default: () => '1000', about: 'how many' } },
  },
  faults: {
    about: 'a full disk, I/O errors, SIGSTOP and clock jumps',
    tests: ['tests/faults'],
    flags: {
      fault: { default: () => 'all', about: '`disk-full`, `io-error`, `sigstop`, `clock` or `all`' },
      rounds: { default: () => '20', about: 'rounds per fault' },
      seed,
    },
  },
};

const [name, ...args] = process.argv.slice(2);
const command = commands[name];
if (!command || args.includes('--help')) usage(name);
else process.exitCode = await run(name, command, flagsOf(command, args));

function usage(name) {
  const lines = Object.entries(commands)
    .filter(([each]) => commands[name] === undefined || each === name)
    .flatMap(([each, { about, flags }]) => [
      `npm run test:${each} -- [flags]: ${about}`,
      ...Object.entries(flags).map(([flag, { about }]) => `  --${flag.padEnd(10)} ${about}`),
    ]);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = commands[name] ? 0 : 2;
}

function flagsOf({ flags }, args) {
  const options = Object.fromEntries(Object.keys(flags).map((flag) => [flag, { type: 'string' }]));
  const { values } = parseArgs({ args, options });
  return Object.entries(flags).map(([flag, { default: fallback }]) => [flag, values[flag] ?? fallback()]);
}

async function run(name, { tests }, flags) {
  await build();
  const variables = flags.map(([flag, value]) => [`${name.toUpperCase()}_${flag.toUpperCase()}`, value]);
  const env = { ...prepareTools().env, ...Object.fromEntries(variables), TSUKUBE_LONG: name };
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--disableConsoleIntercept', ...tests], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  const repeat = flags.map(([flag, value]) => `--${flag} ${value}`).join(' ');
  process.stdout.write(`${status === 0 ? 'PASSED' : 'FAILED'}: npm run test:${name} -- ${repeat}\n`);
  return status ?? 1;
}
