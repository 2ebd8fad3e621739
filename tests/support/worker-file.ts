import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
let made: Promise<URL> | undefined;

/** The entry point of worker threads of servers under test, bundled from the sources on first use. */
export function sourceWorkerFile(): Promise<URL> {
  made ??= bundleWorker();
  return made;
}

/** The bundle is in node_modules, so that its imports resolve. */
async function bundleWorker(): Promise<URL> {
  const folder = join(root, 'node_modules', '.cache', 'tsukube');
  const outfile = join(folder, `worker-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'packages', 'server', 'src', 'worker', 'entry.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['source'],
    external: ['lmdb', 'yaml', 're2js', 'ws'],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const descriptions = join(root, 'packages', 'api', 'dist', 'descriptions.json');
  if (existsSync(descriptions)) copyFileSync(descriptions, join(folder, 'descriptions.json'));
  return pathToFileURL(outfile);
}
