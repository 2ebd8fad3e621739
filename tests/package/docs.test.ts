import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, readDocument } from '../docs/documents.ts';
import { installFolder, pack, registryReachable, removeFolder, root, run } from './installed.ts';

/** Blocks that start with a file name. Those that start with an import are run by tests/docs/snippets.test.ts. */
const files = ['ts', 'js', 'yaml'].flatMap((language) =>
  codeBlocks(readDocument('docs/testing.md'), language).flatMap(({ code }) => {
    const name = /^(?:\/\/|#) (\S+)\n/.exec(code)?.[1];
    return name === undefined ? [] : [{ name, code }];
  }),
);

describe.skipIf(!registryReachable)('the files of docs/testing.md (needs the npm registry)', () => {
  let folder: string;

  beforeAll(() => {
    const packed = installFolder([]);
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const tools = [`vitest@${devDependencies.vitest}`, `@types/node@${devDependencies['@types/node']}`];
    folder = installFolder([pack(packed).path, ...tools, '@kubernetes/client-node@1.4', 'undici@7']);
    removeFolder(packed);
    for (const { name, code } of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), code);
    }
  }, 300_000);
  afterAll(() => removeFolder(folder));

  it('pass under vitest', () => {
    const report = join(folder, 'report.json');
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${report}`];
    const { status, stderr } = run(process.execPath, args, folder);
    expect({ status, stderr: status === 0 ? '' : stderr + readFileSync(report, 'utf8') }).toEqual({ status: 0, stderr: '' });
    const expected = files.filter(({ name }) => name.endsWith('.test.ts')).length;
    expect(JSON.parse(readFileSync(report, 'utf8')).testResults).toHaveLength(expected);
  });

  it('pass under node:test', () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.node-test.mjs'));
    expect(names).toHaveLength(1);
    const { status, stdout } = run(process.execPath, ['--test', ...names], folder);
    expect({ status, stdout: status === 0 ? '' : stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('pass the type checker', () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const { status, stdout } = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
