import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notBuilt, root, run } from './installed.ts';

/** Fails to compile if the published declarations differ from the sources. */
const comparison = `
import type * as Published from '../../packages/tsukube/dist/index.d.mts';
import type * as Sources from '../../packages/tsukube/src/index.ts';

type Both<A extends B, B extends C, C = A> = [A, B, C];
type Keys<A, B> = [Exclude<keyof A, keyof B>, Exclude<keyof B, keyof A>];

export const keys: Keys<Published.StartServerOptions, Sources.StartServerOptions> extends [never, never] ? true : false = true;
export const start: typeof Published.startServer = null as unknown as typeof Sources.startServer;
export type Checks = [
  Both<Published.StartServerOptions, Sources.StartServerOptions>,
  Both<Published.TestServer, Sources.TestServer>,
  Both<Published.RestConfig, Sources.RestConfig>,
  Both<Published.TestNamespace, Sources.TestNamespace>,
  Both<Published.TsukubeOptionError, Sources.TsukubeOptionError>,
  Both<Published.TsukubeManifestError, Sources.TsukubeManifestError>,
];
export const exported: Keys<typeof Published, typeof Sources> extends [never, never] ? true : false = true;
`;

describe.skipIf(notBuilt)('the published types', () => {
  it('match the types of the sources', () => {
    mkdirSync(join(root, '.cache'), { recursive: true });
    const folder = mkdtempSync(join(root, '.cache', 'types-'));
    try {
      const compilerOptions = { composite: false, noEmit: true, declaration: false, declarationMap: false, rootDir: '../..' };
      writeFileSync(join(folder, 'check.ts'), comparison);
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, files: ['check.ts'] }),
      );
      const { status, stdout } = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], root);
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
