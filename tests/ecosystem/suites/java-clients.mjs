import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trialProgram } from '../harness/trial-program.mjs';

const project = fileURLToPath(new URL('../java/', import.meta.url));

/** @param {string} folder @param {string} trial */
const java = (folder, trial) => {
  const classPath = `${join(folder, 'target', 'classes')}:${readFileSync(join(folder, 'class-path'), 'utf8').trim()}`;
  return { command: 'java', args: ['-cp', classPath, `trial.${trial}`] };
};

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'java-clients',
  title: 'fabric8 and client-java: objects, apply, informers, controllers, leader election, with restarts',
  needs: ['java', 'maven'],
  minutes: 30,
  async prepare(context) {
    const { folder } = context;
    cpSync(project, folder, { recursive: true });
    context.status('fetching and compiling');
    const classPath = ['dependency:build-classpath', '-Dmdep.outputFile=class-path'];
    await context.exec('mvn', ['--quiet', '--batch-mode', 'compile', ...classPath]);
    return { version: versionsIn(readFileSync(join(folder, 'pom.xml'), 'utf8')), folder };
  },
  async *run(context, { folder }) {
    yield* trialProgram(context, { ...java(folder, 'Fabric8Trial'), prefix: 'fabric8: ' });
    yield* trialProgram(context, { ...java(folder, 'ClientJavaTrial'), prefix: 'client-java: ' });
    const flags = ['--client-key-algorithm=ecdsa'];
    yield* trialProgram(context, { ...java(folder, 'ClientJavaTrial'), prefix: 'client-java with an EC key: ', flags });
  },
};

/** @param {string} pom */
function versionsIn(pom) {
  const version = (/** @type {string} */ artifact) => new RegExp(`>${artifact}<.*\\s*<version>([^<]+)`).exec(pom)?.[1];
  return `${version('kubernetes-client')}, ${version('client-java-extended')}`;
}
