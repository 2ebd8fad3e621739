#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

type Program = (require: NodeJS.Require, url: string) => void;

/**
 * Runs the program as the build has bundled it, with the code that the engine made of it then: to compile it anew would be
 * a third of the time until the server is ready. Code that an engine does not know as its own it makes anew.
 *
 * The build makes a CommonJS module of this file: Node takes some milliseconds less to load one.
 */
function launch(filename: string): void {
  // The bundler writes nothing but ASCII, which need not be decoded.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: codeCache(`${filename}.cache`) });
  (script.runInThisContext() as Program)(require, pathToFileURL(filename).href);
}

function codeCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

launch(join(__dirname, 'program.cjs'));
