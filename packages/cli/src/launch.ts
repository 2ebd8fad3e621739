#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

type Program = (require: NodeJS.Require, url: string) => void;

/**
 * Runs the program as the build has bundled it, with the code that the engine made of it then: to compile it anew would be
 * a third of the time until the server is ready. Code that an engine does not know as its own it makes anew.
 */
function launch(url: URL): void {
  const filename = fileURLToPath(url);
  // The bundler writes nothing but ASCII, which need not be decoded.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: codeCache(`${filename}.cache`) });
  (script.runInThisContext() as Program)(createRequire(url), url.href);
}

function codeCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

launch(new URL('program.cjs', import.meta.url));
