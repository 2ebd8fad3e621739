import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goTest } from '../harness/go-test.mjs';

const example = fileURLToPath(new URL('../../../examples/guestbook-operator', import.meta.url));

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'kubebuilder',
  title: 'an operator laid out as kubebuilder does, through envtest',
  needs: ['go'],
  minutes: 20,
  async prepare({ folder }) {
    cpSync(example, join(folder, 'source'), { recursive: true });
    return { version: 'controller-runtime v0.24.1', folder: join(folder, 'source') };
  },
  async *run(context, { folder }) {
    const env = { KUBEBUILDER_ASSETS: await context.assets() };
    yield* goTest(context, { cwd: folder, packages: ['./...'], args: ['-timeout=5m'], env });
  },
};
