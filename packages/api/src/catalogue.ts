import type { TypeCatalogue } from '@tsukube/machinery';
import { type BuiltinType, type LineContext, parseTypeLine } from './type-line.ts';
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
  for (const line of [...lines, ...v1beta1DefinitionLines(lines), ...connectOptions.split('\n')]) {
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

/** Every type of Kubernetes 1.36 and of the removed versions that are still served. A type is parsed on first use. */
export const parsedTypes: BuiltinCatalogue = createCatalogue();

const definitionsV1 = '@io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1 apiextensions.k8s.io/v1';

/** The types of apiextensions.k8s.io/v1beta1 that differ from v1. */
const v1beta1Types = `CustomResourceColumnDefinition: name 1 string ! =; type 2 string ! =; format 3 string; description 4 string; priority 5 int32; JSONPath 6 string ! =
CustomResourceConversion: strategy 1 string ! =; webhookClientConfig 2 WebhookClientConfig; conversionReviewVersions 3 []string atomic
CustomResourceDefinitionSpec: group 1 string ! =; version 2 string; names 3 CustomResourceDefinitionNames ! =; scope 4 string ! =; validation 5 CustomResourceValidation; subresources 6 CustomResourceSubresources; versions 7 []CustomResourceDefinitionVersion atomic; additionalPrinterColumns 8 []CustomResourceColumnDefinition atomic; selectableFields 11 []SelectableField atomic; conversion 9 CustomResourceConversion; preserveUnknownFields 10 boolean`;

/** Options of connections, such as exec. Clients send them in the query, so OpenAPI does not describe them. */
const connectOptions = `@io.k8s.api.core.v1 /v1
NodeProxyOptions kind: path 1 string
PodAttachOptions kind: stdin 1 boolean; stdout 2 boolean; stderr 3 boolean; tty 4 boolean; container 5 string
PodExecOptions kind: stdin 1 boolean; stdout 2 boolean; stderr 3 boolean; tty 4 boolean; container 5 string; command 6 []string ! atomic
PodPortForwardOptions kind: ports 1 []int32 atomic
PodProxyOptions kind: path 1 string
ServiceProxyOptions kind: path 1 string`;

/** The lines of apiextensions.k8s.io/v1beta1, derived from those of v1. */
function v1beta1DefinitionLines(lines: readonly string[]): readonly string[] {
  const start = lines.indexOf(definitionsV1);
  const rest = lines.slice(start + 1);
  const own = rest.slice(
    0,
    rest.findIndex((line) => line.startsWith('@')),
  );
  const other = new Map(v1beta1Types.split('\n').map((line) => [nameOf(line), line]));
  return [definitionsV1.replaceAll('v1', 'v1beta1'), ...own.map((line) => other.get(nameOf(line)) ?? line)];
}

function nameOf(line: string): string {
  return line.slice(0, line.search(/[ :]/));
}
