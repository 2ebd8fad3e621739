import { spawnSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');

/** Installs the dependencies if they are missing or older than the lock file. */
export function install() {
  if (isCurrent()) return;
  process.stderr.write('Installing dependencies …\n');
  // No package needs its install script: native parts are packages of their own, and nothing may be compiled or downloaded.
  const flags = ['--ignore-scripts', '--include=dev', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = npm(['install', ...flags]);
  if (status !== 0) throw new Error('npm could not install the dependencies');
  const now = new Date();
  utimesSync(installed, now, now);
}

function isCurrent() {
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

function npm(args) {
  // Under `npm start` this is the npm that runs us, whatever is first on PATH.
  const cli = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  return cli ? spawnSync(process.execPath, [cli, ...args], options) : spawnSync('npm', args, options);
}
