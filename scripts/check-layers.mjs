import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { root } from './root.mjs';
import { workspaces } from './workspaces.mjs';

/** Each row may import the rows above it. Packages in one row do not import each other. */
const layers = [
  ['machinery', 'storage', 'transport'],
  ['api'],
  ['client'],
  ['apiserver'],
  ['crds'],
  ['sdk'],
  ['builtin'],
  ['aggregator'],
  ['controllers'],
  ['node-agent', 'metrics-server', 'custom-metrics-server'],
  ['server'],
  ['cli'],
  ['tsukube'],
];

/** Apps are written as their users would: with these entry points only. */
const publicEntryPoints = ['@tsukube/client', '@tsukube/sdk'];

const importing = /\b(?:import|export)\b(?:[^'"`;()]*?\bfrom)?\s*\(?\s*['"]([^'"\n]+)['"]/g;

/** Imports that break the order of packages, and folders of a package that import each other. */
export function offences() {
  return placedWorkspaces().flatMap((workspace) => {
    const src = join(root, workspace, 'src');
    const files = sources(src);
    return [...files.flatMap((file) => offencesOf(file, workspace)), ...cyclesOf(files, src, workspace)];
  });
}

/** Pairs of folders that import each other. Tests and the package's entry point may import any folder. */
function cyclesOf(files, src, workspace) {
  const edges = new Map();
  for (const file of files) {
    if (file.endsWith('.test.ts') || file === join(src, 'index.ts')) continue;
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(importing)) {
      if (!specifier.startsWith('.')) continue;
      const edge = JSON.stringify([folderOf(src, file), folderOf(src, resolve(dirname(file), specifier))]);
      if (!edges.has(edge)) edges.set(edge, `${relative(src, file)} imports ${specifier}`);
    }
  }
  return [...edges].flatMap(([edge, there]) => {
    const [from, to] = JSON.parse(edge);
    const back = edges.get(JSON.stringify([to, from]));
    return from < to && back ? [`${workspace}/src: ${from} and ${to} import each other (${there}; ${back})`] : [];
  });
}

function folderOf(src, file) {
  return relative(src, dirname(file)) || '.';
}

function offencesOf(file, workspace) {
  const place = relative(root, file);
  return [...readFileSync(file, 'utf8').matchAll(importing)]
    .map(([, specifier]) => complaint(specifier, file, workspace))
    .filter((text) => text !== undefined)
    .map((text) => `${place}: ${text}`);
}

function complaint(specifier, file, workspace) {
  const name = basename(workspace);
  if (specifier.startsWith('.')) return relativeComplaint(specifier, file, workspace);
  const imported = /^@tsukube\/([^/]+)/.exec(specifier)?.[1];
  if (imported === undefined || imported === name) return undefined;
  if (workspace.startsWith('apps'))
    return publicEntryPoints.includes(specifier)
      ? undefined
      : `imports ${specifier}: apps import only ${publicEntryPoints.join(' and ')}`;
  if (rowOf(imported) === -1) return `imports ${specifier}, which is not in the list of layers`;
  return rowOf(imported) < rowOf(name) ? undefined : `imports ${specifier}, which is not in a layer above ${name} in the list`;
}

function relativeComplaint(specifier, file, workspace) {
  const target = relative(root, resolve(dirname(file), specifier));
  if (target.startsWith(join(workspace, '/'))) return undefined;
  if (target.startsWith(join('tests', 'support', '')) && file.endsWith('.test.ts')) return undefined;
  return `imports ${specifier} outside of its package`;
}

function rowOf(name) {
  return layers.findIndex((row) => row.includes(name));
}

function placedWorkspaces() {
  const all = workspaces();
  const unplaced = all.filter((workspace) => rowOf(basename(workspace)) === -1);
  if (unplaced.length > 0) throw new Error(`scripts/check-layers.mjs does not list ${unplaced.join(', ')}`);
  return all;
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
