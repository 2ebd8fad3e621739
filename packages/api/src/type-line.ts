import type { Field, FieldType, GroupVersionKind, JsonValue, Scalar, TypeDefinition } from '@tsukube/machinery';

/**
 * Parses one line of types.ts:
 *   Name flag flag: field; field
 * A flag is `kind` (kind and apiVersion come first), `everywhere` (registered in every group version), `atomic`, or
 * `union(discriminator,field=Value)`. A field is
 *   name number type mark mark
 * The number is that of protobuf: 2.1 is field 1 of a struct that Go inlines and that is field 2 in protobuf; - is none.
 * A type is a scalar, Name or package.Name, *Name (untyped JSON), []type or {}type; a leading ~ means that protobuf wraps the
 * list in a message. Marks are ! (required), = (default: the zero value) or =(json), list and map types with their keys,
 * patch(strategy), key(merge key), enum(values).
 */
export interface BuiltinField extends Field {
  /** Numbers of the protobuf messages around this field, outermost first, where Go inlines a struct. */
  readonly inlinedIn?: readonly number[];
  /** In protobuf each innermost list is field 1 of a message of its own. */
  readonly wrapped?: boolean;
}

export interface Union {
  readonly discriminator?: string;
  /** The value of the discriminator for each field. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface BuiltinType extends TypeDefinition {
  readonly fields: ReadonlyMap<string, BuiltinField>;
  readonly union?: Union;
}

export interface LineContext {
  readonly package: string;
  readonly groupVersion: string;
  /** The group/versions of a type that is known everywhere. */
  readonly everywhere: readonly string[];
  packageOf(alias: string): string;
}

const scalars: ReadonlySet<string> = new Set<Scalar>([
  'string',
  'boolean',
  'int32',
  'int64',
  'double',
  'bytes',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
]);

const typeMeta: readonly BuiltinField[] = [
  { name: 'kind', type: { is: 'string' } },
  { name: 'apiVersion', type: { is: 'string' } },
];

export function parseTypeLine(line: string, context: LineContext): BuiltinType {
  const colon = line.indexOf(':');
  const [name = '', ...flags] = line.slice(0, colon).split(' ');
  const own = line
    .slice(colon + 2)
    .split('; ')
    .filter((text) => text !== '')
    .map((text) => parseField(text, context));
  const fields = flags.includes('kind') ? [...typeMeta, ...own] : own;
  return {
    name: `${context.package}.${name}`,
    fields: new Map(fields.map((field) => [field.name, field])),
    ...gvksOf(name, flags, context),
    ...(flags.includes('atomic') && { mapType: 'atomic' as const }),
    ...unionOf(flags),
  };
}

function gvksOf(kind: string, flags: readonly string[], context: LineContext): { gvks?: readonly GroupVersionKind[] } {
  if (flags.includes('everywhere')) return { gvks: context.everywhere.map((text) => gvkOf(text, kind)) };
  return flags.includes('kind') ? { gvks: [gvkOf(context.groupVersion, kind)] } : {};
}

function gvkOf(groupVersion: string, kind: string): GroupVersionKind {
  const [group = '', version = ''] = groupVersion.split('/');
  return { group, version, kind };
}

function unionOf(flags: readonly string[]): { union?: Union } {
  const text = flags.find((flag) => flag.startsWith('union('));
  if (text === undefined) return {};
  const [discriminator, ...members] = text.slice('union('.length, -1).split(',');
  const fields = Object.fromEntries(members.map((member) => member.split('=') as [string, string]));
  return { union: { ...(discriminator && { discriminator }), fields } };
}

function parseField(text: string, context: LineContext): BuiltinField {
  // regex: reads the built-in types.
  const [, name = '', number = '', type = '', marks = ''] = /^(\S+) (\S+) (\S+) ?(.*)$/.exec(text) ?? [];
  const wrapped = type.startsWith('~');
  const fieldType = parseType(wrapped ? type.slice(1) : type, context);
  return {
    name,
    type: fieldType,
    ...parseNumber(number),
    ...(wrapped && { wrapped }),
    ...parseMarks(marks, fieldType),
  };
}

function parseNumber(text: string): { number?: number; inlinedIn?: readonly number[] } {
  if (text === '-') return {};
  const path = text.split('.').map(Number);
  const number = path.pop();
  return path.length > 0 ? { number, inlinedIn: path } : { number };
}

function parseType(text: string, context: LineContext): FieldType {
  if (text.startsWith('[]')) return { is: 'list', of: parseType(text.slice(2), context) };
  if (text.startsWith('{}')) return { is: 'map', of: parseType(text.slice(2), context) };
  if (text.startsWith('*')) return anyType(fullName(text.slice(1), context));
  return scalars.has(text) ? { is: text as Scalar } : { is: 'object', ref: fullName(text, context) };
}

/** OpenAPI names the type even where anything goes. */
function anyType(ref: string): FieldType {
  const type: { is: 'any'; ref: string } = { is: 'any', ref };
  return type;
}

function fullName(text: string, context: LineContext): string {
  const dot = text.lastIndexOf('.');
  return dot < 0 ? `${context.package}.${text}` : `${context.packageOf(text.slice(0, dot))}.${text.slice(dot + 1)}`;
}

type Marks = { -readonly [K in keyof Field]?: Field[K] };

function parseMarks(text: string, type: FieldType): Marks {
  const marks: Marks = {};
  for (const [, word = '', argument] of text.matchAll(/([!=]|[a-z]+)(?:\(([^)]*)\))?/gi)) applyMark(marks, word, argument, type);
  return marks;
}

function applyMark(marks: Marks, word: string, argument: string | undefined, type: FieldType): void {
  if (word === '!') marks.required = true;
  else if (word === '=') marks.default = argument === undefined ? zeroOf(type) : (JSON.parse(argument) as JsonValue);
  else if (word === 'patch') marks.patchStrategy = argument;
  else if (word === 'key') marks.patchMergeKey = argument;
  else if (word === 'enum') marks.enum = argument?.split(',');
  else if (type.is === 'map' || type.is === 'object') marks.mapType = word as Field['mapType'];
  else setListType(marks, word as Field['listType'], argument);
}

function setListType(marks: Marks, listType: Field['listType'], keys: string | undefined): void {
  marks.listType = listType;
  if (keys !== undefined) marks.listMapKeys = keys.split(',');
}

function zeroOf(type: FieldType): JsonValue {
  if (type.is === 'object') return {};
  if (type.is === 'boolean') return false;
  return type.is === 'int32' || type.is === 'int64' || type.is === 'double' ? 0 : '';
}
