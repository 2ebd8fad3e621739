import {
  decodeProtobuf,
  type JsonValue,
  type NumberForm,
  parseJson,
  parseYaml,
  type TypeCatalogue,
  unwrapProtobuf,
} from '@tsukube/machinery';

export const objectTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
export type ObjectType = (typeof objectTypes)[number];

/** The value in a body, in JSON's terms whatever it was written in. */
export interface ParsedBody {
  readonly value: JsonValue;
  /** Keys that were given more than once. */
  readonly duplicates: readonly string[];
  /** Whether there are numbers in it of which it matters how they are written. */
  readonly hasWritten?: boolean;
}

/** Which type the bytes of a protobuf message are of, by what their envelope says. */
export type TypeOfMessage = (apiVersion: string, kind: string) => { readonly type: string; readonly catalogue: TypeCatalogue };

/** Fails with JsonSyntaxError, YamlSyntaxError or ProtobufError. */
export function parseBody(
  body: Buffer,
  type: ObjectType,
  typeOf: TypeOfMessage,
  numbers: NumberForm = 'plain',
): ParsedBody | Promise<ParsedBody> {
  if (type === 'application/json') return parseJson(body, { numbers });
  if (type === 'application/yaml') return parseYaml(body);
  const { apiVersion, kind, raw } = unwrapProtobuf(body);
  const { type: name, catalogue } = typeOf(apiVersion, kind);
  const value = decodeProtobuf(raw, catalogue.get(name), catalogue);
  return { value: { ...value, kind, apiVersion }, duplicates: none };
}

const none: readonly string[] = [];
