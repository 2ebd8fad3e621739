import { fileURLToPath } from 'node:url';
import { virtualEnvironment } from '../harness/python.mjs';
import { trialProgram } from '../harness/trial-program.mjs';

const versions = { kubernetes: '37.0.2', kr8s: '0.20.15' };
const trials = fileURLToPath(new URL('../python/', import.meta.url));

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'python-clients',
  title: 'kubernetes and kr8s: objects, apply, watches, leader election, with a restart',
  needs: ['python'],
  minutes: 15,
  async prepare(context) {
    await virtualEnvironment(context, [`kubernetes==${versions.kubernetes}`, `kr8s==${versions.kr8s}`]);
    return { version: `${versions.kubernetes}, ${versions.kr8s}`, folder: context.folder };
  },
  async *run(context, { folder }) {
    const command = `${folder}/venv/bin/python`;
    yield* trialProgram(context, { command, args: ['client_trial.py'], cwd: trials, prefix: 'kubernetes: ' });
    yield* trialProgram(context, { command, args: ['kr8s_trial.py'], cwd: trials, prefix: 'kr8s: ' });
  },
};
