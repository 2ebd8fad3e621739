import { fileURLToPath } from 'node:url';
import { virtualEnvironment } from '../harness/python.mjs';
import { trialProgram } from '../harness/trial-program.mjs';

const version = '1.45.2';
const trials = fileURLToPath(new URL('../python/', import.meta.url));

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'kopf',
  title: 'handlers, timers, daemons, peering, with a restart',
  needs: ['python'],
  minutes: 15,
  async prepare(context) {
    await virtualEnvironment(context, [`kopf==${version}`, 'kubernetes==37.0.2']);
    return { version, folder: context.folder };
  },
  async *run(context, { folder }) {
    yield* trialProgram(context, { command: `${folder}/venv/bin/python`, args: ['kopf_trial.py'], cwd: trials });
  },
};
