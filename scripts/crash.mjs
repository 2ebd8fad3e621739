#!/usr/bin/env node
// The crash test for as long as you like: node scripts/crash.mjs [--kills 500] [--seed N]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { root } from './root.mjs';

const { values: flags } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

await build();
const { status } = spawnSync(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'tests/crash/crash'], {
  cwd: root,
  env: { ...process.env, CRASH_KILLS: flags.kills, CRASH_SEED: flags.seed },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
