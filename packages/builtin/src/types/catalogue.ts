import type { TypeCatalogue } from '@tsukube/machinery';
import { oldDefinitionLines } from './definition-types.ts';
import { type BuiltinType, type LineContext, parseTypeLine } from './line.ts';
import { everywhere, typeLines } from './types.ts';

export interface BuiltinCatalogue extends TypeCatalogue {
  get(name: string): BuiltinType;
  has(name: string): boolean;
  names(): Iterable<string>;
}

interface Entry {
  readonly line: string;
  readonly context: LineContext;
}

function readEntries(): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const packages = new Map<string, string>();
  const packageOf = (alias: string) => packages.get(alias) ?? alias;
  const everyGroupVersion = everywhere.split(' ');
  let context: LineContext = { package: '', groupVersion: '', everywhere: everyGroupVersion, packageOf };
  const lines = typeLines.split('\n');
  for (const line of [...lines, ...oldDefinitionLines(lines)]) {
    if (line.startsWith('@')) {
      const [name = '', groupVersion = ''] = line.slice(1).split(' ');
      packages.set(name.split('.').slice(-2).join('.'), name);
      context = { ...context, package: name, groupVersion };
    } else {
      entries.set(`${context.package}.${line.slice(0, line.search(/[ :]/))}`, { line, context });
    }
  }
  return entries;
}

function createCatalogue(): BuiltinCatalogue {
  const expanded = new Map<string, BuiltinType>();
  let entries: Map<string, Entry> | undefined;
  const known = () => {
    entries ??= readEntries();
    return entries;
  };
  const expand = (name: string) => {
    const entry = known().get(name);
    if (!entry) throw new Error(`there is no built-in type ${name}`);
    const type = parseTypeLine(entry.line, entry.context);
    expanded.set(name, type);
    return type;
  };
  return {
    get: (name) => expanded.get(name) ?? expand(name),
    has: (name) => known().has(name),
    names: () => known().keys(),
  };
}

/** Every type of Kubernetes 1.36, and of the versions that it has removed and we serve. A type is expanded when it is first asked for. */
export const builtinTypes: BuiltinCatalogue = createCatalogue();
