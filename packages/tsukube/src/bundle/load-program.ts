import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import type * as Program from './program.ts';

type ProgramFunction = (require: NodeJS.Require, url: string) => typeof Program;

export interface LoadedProgram {
  readonly program: typeof Program;
  /** Stores the compiled code for the next process, unless it is cached already. Does nothing if the folder is read-only. */
  saveCodeCache(): void;
}

/** Processes with other V8 flags have their own cache; the oldest beyond this number are removed. */
const maxCaches = 4;

let loaded: LoadedProgram | undefined;

/**
 * Runs the bundled program with its V8 code cache: compiling the program would take half of the time to ready. The tag stands
 * for V8's version and flags; the version of Node, which may patch V8, is added. The cache is stored beside the program, so that
 * only those who may replace the program may replace it.
 *
 * Only bundles call this function: it needs the `require` and `__dirname` of a CommonJS module.
 */
export function loadProgram(): LoadedProgram {
  loaded ??= load(join(__dirname, 'program.cjs'), join(__dirname, 'cache'));
  return loaded;
}

/** Replaces load-kit.ts in the bundle. */
export async function loadKit(): Promise<Awaited<ReturnType<typeof Program.loadKit>>> {
  const { program, saveCodeCache } = loadProgram();
  const kit = await program.loadKit();
  kit.onFirstClose(saveCodeCache);
  return kit;
}

function load(filename: string, folder: string): LoadedProgram {
  const cachePath = join(folder, `${process.version}-${process.arch}-${cachedDataVersionTag()}.cache`);
  const cachedData = readCache(cachePath);
  // The bundler emits ASCII only, so decoding is not needed.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
  const run = script.runInThisContext() as ProgramFunction;
  let saved = cachedData !== undefined && !script.cachedDataRejected;
  return {
    program: run(require, pathToFileURL(filename).href),
    saveCodeCache() {
      if (saved) return;
      saved = true;
      saveCache(folder, cachePath, script);
    },
  };
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function saveCache(folder: string, path: string, script: Script): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, path);
    removeOldest(folder);
  } catch {
    // The package may be installed in a read-only folder; the program then starts more slowly.
    rmSync(temporary, { force: true });
  }
}

function removeOldest(folder: string): void {
  const caches = readdirSync(folder).map((name) => join(folder, name));
  const byAge = caches.map((path) => ({ path, time: statSync(path).mtimeMs })).sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(maxCaches)) rmSync(path, { force: true });
}
