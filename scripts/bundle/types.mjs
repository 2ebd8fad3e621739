import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { output, replaceFile } from './bundle.mjs';

const importLine = /^import type \{ ServeOptions \} from '\.\/serve-options\.[jt]s';\n/m;

/** Bundles the type declarations into one file without imports, for ES modules and CommonJS. */
export async function makeTypes() {
  const compiled = readFileSync(join(root, 'packages', 'tsukube', 'lib', 'index.d.ts'), 'utf8');
  const { optionTypes } = await import('../../packages/server/dist/config/index.js');
  if (!importLine.test(compiled)) throw new Error('the declarations of packages/tsukube do not import ServeOptions');
  const declarations = compiled
    .replace(importLine, `${serveOptions(optionTypes())}\n`)
    .replace(/^\/\/# sourceMappingURL.*\n?/m, '');
  if (/^\s*(import|export) .*\bfrom\b/m.test(declarations))
    throw new Error('the declarations of packages/tsukube import other modules');
  const text = `/// <reference lib="esnext.disposable" />\n${declarations}`;
  for (const name of ['index.d.mts', 'index.d.cts']) replaceFile(join(output, name), text);
}

function serveOptions(options) {
  const fields = options.map(
    (option) => `    /** ${docOf(option)} */\n    readonly ${option.name}?: ${typeOf(option)} | undefined;\n`,
  );
  return `/** The flags of \`tsukube serve\` in camel case. */\nexport interface ServeOptions {\n${fields.join('')}}`;
}

/** Flags named in the help text become options. */
function docOf({ help, milliseconds }) {
  const text = help.replace(/--([a-z][a-z0-9-]*)/g, (_, flag) =>
    flag.replace(/-([a-z0-9])/g, (__, letter) => letter.toUpperCase()),
  );
  return `${text}${milliseconds ? ' In milliseconds.' : ''}`.replaceAll('*/', '* /');
}

function typeOf({ is, of }) {
  if (of !== undefined) return of.map((value) => JSON.stringify(value)).join(' | ');
  return types[is];
}

const types = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  strings: 'readonly string[]',
  'booleans by name': 'Readonly<Record<string, boolean>>',
  'strings by name': 'Readonly<Record<string, string>>',
};
