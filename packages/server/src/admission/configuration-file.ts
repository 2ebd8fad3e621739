import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cannotUnmarshal, goQuote, isObject, type JsonObject, type JsonValue, jsonKind, parseYaml } from '@tsukube/machinery';

/** Configurations of plugins, by the name of the plugin. */
export type PluginConfigurations = Readonly<Record<string, JsonObject>>;

const kind = 'AdmissionConfiguration';
const versions = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1alpha1'];

/** Plugins whose unversioned configuration may be the whole file, with the field that identifies it. */
const legacyConfigurations = { ImagePolicyWebhook: 'imagePolicy', PodNodeSelector: 'podNodeSelectorPluginConfig' };

/**
 * Reads the file of `--admission-control-config-file`, and the files it refers to for the enabled plugins. Rejects with the
 * messages of kube-apiserver.
 */
export async function readPluginConfigurations(
  file: string | undefined,
  isEnabled: (plugin: string) => boolean,
): Promise<PluginConfigurations> {
  if (file === undefined) return {};
  try {
    const data = readOrThrow(file, `unable to read admission control configuration from ${goQuote(file)}`);
    const { value, duplicates } = await parseYaml(data);
    return isLegacy(value) ? legacy(value, isEnabled) : await configurationsIn(value, duplicates, data, file, isEnabled);
  } catch (error) {
    throw new Error(`failed to apply admission: failed to read plugin config: ${(error as Error).message}`, { cause: error });
  }
}

/** The error of a plugin that cannot be created, for instance with its configuration. */
export function initFailure(plugin: string, error: unknown): Error {
  const { message } = error as Error;
  return new Error(`failed to apply admission: couldn't init admission plugin ${goQuote(plugin)}: ${message}`, { cause: error });
}

function readOrThrow(file: string, problem: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(`${problem} [${missing ? `open ${file}: no such file or directory` : (error as Error).message}]`);
  }
}

function isLegacy(value: JsonValue): value is JsonObject {
  return isObject(value) && !hasType(value) && Object.values(legacyConfigurations).some((field) => Object.hasOwn(value, field));
}

function hasType({ kind: given, apiVersion }: JsonObject): boolean {
  return given === kind && versions.includes(String(apiVersion));
}

function legacy(value: JsonObject, isEnabled: (plugin: string) => boolean): PluginConfigurations {
  return Object.fromEntries(
    Object.keys(legacyConfigurations)
      .filter(isEnabled)
      .map((plugin) => [plugin, value]),
  );
}

async function configurationsIn(
  value: JsonValue,
  duplicates: readonly string[],
  data: Buffer,
  file: string,
  isEnabled: (plugin: string) => boolean,
): Promise<PluginConfigurations> {
  const configurations: Record<string, JsonObject> = {};
  for (const { name, path, configuration } of pluginsIn(value, duplicates, data)) {
    // The first entry of a plugin is used.
    if (!isEnabled(name) || Object.hasOwn(configurations, name)) continue;
    if (configuration !== undefined) configurations[name] = configuration;
    else if (path !== undefined && path !== '') configurations[name] = await readConfiguration(resolve(dirname(file), path));
  }
  return configurations;
}

interface PluginEntry {
  readonly name: string;
  readonly path: string | undefined;
  readonly configuration: JsonObject | undefined;
}

function pluginsIn(value: JsonValue, duplicates: readonly string[], data: Buffer): readonly PluginEntry[] {
  requireType(value, data);
  const { plugins = [] } = value;
  if (plugins !== null && !Array.isArray(plugins))
    throw unmarshalError(plugins, `${kind}.plugins`, '[]v1.AdmissionPluginConfiguration');
  const list = (plugins ?? []) as JsonValue[];
  const unknown = [
    ...unknownFields(value, ['kind', 'apiVersion', 'plugins'], ''),
    ...list.flatMap((each, i) =>
      isObject(each) ? unknownFields(each, ['name', 'path', 'configuration'], `plugins[${i}].`) : [],
    ),
  ];
  const entries = list.map(entryOf);
  const problems = [...duplicates, ...unknown];
  if (problems.length > 0) throw new Error(`strict decoding error: ${problems.join(', ')}`);
  return entries;
}

function requireType(value: JsonValue, data: Buffer): asserts value is JsonObject {
  if (!isObject(value)) throw new Error(`couldn't get version/kind; ${cannotUnmarshal(value, 'struct')}`);
  const { kind: given = '', apiVersion = '' } = value;
  if (given === '') throw new Error(`Object 'Kind' is missing in '${data}'`);
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${data}'`);
  if (!hasType(value))
    throw new Error(`no kind ${goQuote(String(given))} is registered for version ${goQuote(String(apiVersion))}`);
}

function unknownFields(object: JsonObject, known: readonly string[], prefix: string): readonly string[] {
  const unknown = Object.keys(object).filter((field) => !known.includes(field));
  return unknown.map((field) => `unknown field ${goQuote(prefix + field)}`);
}

function entryOf(entry: JsonValue): PluginEntry {
  if (entry !== null && !isObject(entry)) throw unmarshalError(entry, `${kind}.plugins`, 'v1.AdmissionPluginConfiguration');
  const { name, path, configuration } = entry ?? {};
  for (const [field, value] of Object.entries({ name, path }))
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw unmarshalError(value, `AdmissionPluginConfiguration.plugins.${field}`, 'string');
  if (configuration !== undefined && configuration !== null && !isObject(configuration))
    throw new Error(`the configuration of plugin ${goQuote(String(name))} is not an object`);
  return { name: String(name ?? ''), path: path as string | undefined, configuration: configuration ?? undefined };
}

function unmarshalError(value: JsonValue, field: string, type: string): Error {
  return new Error(`json: cannot unmarshal ${jsonKind(value)} into Go struct field ${field} of type ${type}`);
}

async function readConfiguration(path: string): Promise<JsonObject> {
  const { value } = await parseYaml(readOrThrow(path, `Couldn't open admission plugin configuration ${path}:`));
  if (!isObject(value)) throw new Error(`the configuration in ${path} is not an object`);
  return value;
}
