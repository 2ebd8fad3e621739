import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './root.mjs';

/** Each row may import the rows above it. Packages in one row do not import each other. */
const layers = [
  ['machinery', 'storage', 'transport'],
  ['api'],
  ['apiserver'],
  ['aggregator'],
  ['crds'],
  ['builtin'],
  ['controllers'],
  ['client'],
  ['server'],
  ['cli'],
  ['tsukube'],
  ['ui'],
];

const importing = /\b(?:import|export)\b(?:[^'"`;()]*?\bfrom)?\s*\(?\s*['"]([^'"\n]+)['"]/g;

/** The imports that violate the order of layers. */
export function offences() {
  return packages().flatMap((name) => sources(join(root, 'packages', name, 'src')).flatMap((file) => offencesOf(file, name)));
}

function offencesOf(file, name) {
  const place = relative(root, file);
  return [...readFileSync(file, 'utf8').matchAll(importing)]
    .map(([, specifier]) => complaint(specifier, file, name))
    .filter((text) => text !== undefined)
    .map((text) => `${place}: ${text}`);
}

function complaint(specifier, file, name) {
  if (specifier.startsWith('.')) return relativeComplaint(specifier, file, name);
  const imported = /^@tsukube\/([^/]+)/.exec(specifier)?.[1];
  if (imported === undefined || imported === name) return undefined;
  if (rowOf(imported) === -1) return `imports ${specifier}, a package that has no place in the order of layers`;
  return rowOf(imported) < rowOf(name) ? undefined : `imports ${specifier}, which is not below ${name}`;
}

function relativeComplaint(specifier, file, name) {
  const target = relative(root, resolve(dirname(file), specifier));
  if (target.startsWith(join('packages', name, ''))) return undefined;
  if (target.startsWith(join('tests', 'support', '')) && file.endsWith('.test.ts')) return undefined;
  return `leaves its package by ${specifier}`;
}

function rowOf(name) {
  return layers.findIndex((row) => row.includes(name));
}

function packages() {
  const names = readdirSync(join(root, 'packages'));
  const unplaced = names.filter((name) => rowOf(name) === -1);
  if (unplaced.length > 0) throw new Error(`scripts/check-layers.mjs does not place ${unplaced.join(', ')}`);
  return names;
}

function sources(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.m?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (process.argv[1] === import.meta.filename) {
  const found = offences();
  for (const offence of found) process.stderr.write(`${offence}\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
