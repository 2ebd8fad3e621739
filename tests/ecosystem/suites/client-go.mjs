import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const module = fileURLToPath(new URL('../client-go', import.meta.url));

/** The duration; `npm test` runs the same trials for some seconds. */
const flags = ['-duration=2m', '-kills=10', '-writers=4', '-rounds=100'];
const trials = ['informers', 'leader-election'];

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'client-go',
  title: 'informers under kill -9, leader election with release',
  needs: ['go'],
  minutes: 30,
  async prepare(context) {
    await context.exec('go', ['build', '-o', join(context.folder, 'client-go'), '.'], { cwd: module });
    const version = /k8s\.io\/client-go (\S+)/.exec(readFileSync(join(module, 'go.mod'), 'utf8'))?.[1] ?? '';
    return { version, folder: context.folder };
  },
  async *run(context, { folder }) {
    const target = context.kubeconfig === undefined ? ['--', ...context.command, 'serve'] : [];
    const given = context.kubeconfig === undefined ? flags : [...flags, `-kubeconfig=${context.kubeconfig}`];
    for (const test of trials) {
      context.status(test);
      let last = '';
      const running = context.spawn(join(folder, 'client-go'), [...given, test, ...target]);
      for await (const line of running.lines) last = line || last;
      yield (await running.exited) === 0 ? { test, outcome: 'passed' } : { test, outcome: 'failed', detail: last };
    }
  },
};
