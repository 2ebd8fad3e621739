import {
  checkObject,
  type FieldType,
  goQuote,
  type JsonObject,
  stringifyJson,
  type TypeCatalogue,
  type TypeDefinition,
  textIn,
} from '@tsukube/machinery';

/** Checks the type of a plugin's configuration. Throws an Error with kube-apiserver's message. */
export function requireConfigurationType(
  configuration: JsonObject,
  apiVersions: readonly string[],
  kind = 'Configuration',
): void {
  const [given, apiVersion] = [textIn(configuration, 'kind'), textIn(configuration, 'apiVersion')];
  if (given === '') throw new Error(`Object 'Kind' is missing in '${stringifyJson(configuration)}'`);
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${stringifyJson(configuration)}'`);
  if (given !== kind || !apiVersions.includes(apiVersion)) throw new Error(unregistered(given, apiVersion));
}

/** `scheme` is where kube-apiserver decodes the configuration, as some of its messages say. */
export function unregistered(kind: string, apiVersion: string, scheme?: string): string {
  const text = `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`;
  return scheme === undefined ? text : `${text} in scheme ${goQuote(scheme)}`;
}

export const stringFieldType: FieldType = { is: 'string' };
export const stringListFieldType: FieldType = { is: 'list', of: stringFieldType };

/** A type of a configuration. Fields refer to others as `v1.NAME`. */
export function configurationType(name: string, fields: Readonly<Record<string, FieldType>>): TypeDefinition {
  return { name: `v1.${name}`, fields: new Map(Object.entries(fields).map(([field, type]) => [field, { name: field, type }])) };
}

/** Decodes a configuration as the first of the types. Throws an Error with kube-apiserver's message, also for unknown fields. */
export function decodeConfiguration(given: JsonObject, types: readonly [TypeDefinition, ...TypeDefinition[]]): JsonObject {
  const catalogue: TypeCatalogue = {
    get(name) {
      const found = types.find((type) => type.name === name);
      if (!found) throw new Error(`there is no type ${name}`);
      return found;
    },
  };
  const { value, error, unknown } = checkObject(given, types[0], catalogue);
  if (error !== undefined) throw new Error(error);
  if (unknown.length > 0) throw new Error(`strict decoding error: ${[...unknown].sort().join(', ')}`);
  return value;
}
