import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trialProgram } from '../harness/trial-program.mjs';

const version = '1.4.0';
const trials = fileURLToPath(new URL('../node/', import.meta.url));

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'client-node',
  title: '@kubernetes/client-node: objects, patches, watches, informers, with a restart',
  needs: ['npm'],
  minutes: 10,
  async prepare(context) {
    const { folder } = context;
    cpSync(trials, folder, { recursive: true });
    const installed = existsSync(join(folder, 'node_modules', '@kubernetes', 'client-node', 'package.json'));
    if (!installed)
      await context.exec('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `@kubernetes/client-node@${version}`]);
    return { version, folder };
  },
  async *run(context, { folder }) {
    yield* trialProgram(context, { command: process.execPath, args: [join(folder, 'client-node-trial.mjs')] });
  },
};
