import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates a virtual environment with the given packages, once for each list of versions.
 * @param {import('./suite.mjs').Context} context @param {readonly string[]} packages  such as `kopf==1.45.2`
 * @returns {Promise<string>} the interpreter
 */
export async function virtualEnvironment(context, packages) {
  const folder = join(context.folder, 'venv');
  const stamp = join(folder, 'packages');
  const python = join(folder, 'bin', 'python');
  const wanted = packages.join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  context.status(`installing ${packages.join(', ')}`);
  await context.exec('python3', ['-m', 'venv', '--clear', folder]);
  await context.exec(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  writeFileSync(stamp, wanted);
  return python;
}
