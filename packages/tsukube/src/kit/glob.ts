import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';

const special = /[*?[\]{}]/;
const manifestFile = /\.(ya?ml|json)$/;

/**
 * The files of a path or glob, sorted. A folder stands for the manifests in it. Globs support `*`, `?`, `[a-z]`, `{a,b}` and
 * `**`.
 */
export function filesOf(pattern: string, cwd: string): string[] {
  const path = resolve(cwd, pattern);
  if (existsSync(path)) return statSync(path).isDirectory() ? manifestsIn(path) : [path];
  if (!special.test(pattern)) return [];
  const parts = pattern.split(/[/\\]/).filter((part) => part !== '');
  return [...new Set(match(isAbsolute(pattern) ? rootOf(pattern) : cwd, parts))].sort();
}

function rootOf(pattern: string): string {
  return resolve(pattern.slice(0, pattern.search(/[/\\]/) + 1) || sep);
}

function manifestsIn(folder: string): string[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && manifestFile.test(entry.name));
  return names.map(({ name }) => join(folder, name)).sort();
}

function match(folder: string, [part, ...rest]: readonly string[]): string[] {
  if (part === undefined) return [];
  if (part === '**') return [...match(folder, rest), ...foldersIn(folder).flatMap((each) => match(each, ['**', ...rest]))];
  if (!special.test(part)) return step(join(folder, part), rest);
  const accepts = partPattern(part);
  return entriesOf(folder)
    .filter(({ name }) => accepts.test(name) && (part.startsWith('.') || !name.startsWith('.')))
    .flatMap(({ name }) => step(join(folder, name), rest));
}

function step(path: string, rest: readonly string[]): string[] {
  if (!existsSync(path)) return [];
  const isFolder = statSync(path).isDirectory();
  if (rest.length > 0) return isFolder ? match(path, rest) : [];
  return isFolder ? [] : [path];
}

function foldersIn(folder: string): string[] {
  const visible = ({ name }: Dirent) => !name.startsWith('.') && name !== 'node_modules';
  return entriesOf(folder).flatMap((entry) => (entry.isDirectory() && visible(entry) ? [join(folder, entry.name)] : []));
}

function entriesOf(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

function partPattern(part: string): RegExp {
  // regex: reads patterns that a test gives.
  const source = part.replace(/\*+|\?|\[!?[^\]]+\]|\{[^{}]*\}|[^*?[{]+|[[{]/g, (token) => {
    if (token.startsWith('*')) return '.*';
    if (token === '?') return '.';
    if (token.length > 1 && token.startsWith('[')) return token.replace('[!', '[^').replaceAll('\\', '\\\\');
    if (token.length > 1 && token.startsWith('{')) return `(?:${token.slice(1, -1).split(',').map(alternative).join('|')})`;
    return escaped(token);
  });
  // regex: of a pattern that a test gives, matched with names of its files.
  return new RegExp(`^${source}$`);
}

function alternative(text: string): string {
  return text.split(/\*+/).map(escaped).join('.*');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
