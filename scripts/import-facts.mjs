// Generates packages/api/src/types.ts from the facts about the Kubernetes API (schemas and protobuf numbers).
//   node scripts/import-facts.mjs
// The line format is described in packages/api/src/type-line.ts, which parses it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removedSchemas } from './removed-versions.mjs';
import { root } from './root.mjs';

const factsDir = join(root, 'packages', 'api', 'facts');
const readFacts = (file) => JSON.parse(readFileSync(join(factsDir, file), 'utf8'));
const served = readFacts('schemas-1.36.json');
const messages = readFacts('protobuf.json');
const schemas = { ...served, ...removedSchemas({ schemas: served, removed: readFacts('schemas-removed.json'), messages }) };

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const scalarTypes = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'intOrString',
  [`${meta}.Time`]: 'time',
  [`${meta}.MicroTime`]: 'microTime',
};
const free = /\.(RawExtension|FieldsV1|JSON|JSONSchemaPropsOr(Array|Bool|StringArray))$/;
const isStruct = (name) => !(name in scalarTypes) && !free.test(name);

const packageOf = (name) => name.slice(0, name.lastIndexOf('.'));
const shortName = (name) => name.slice(name.lastIndexOf('.') + 1);

/** io.k8s.api.core.v1 becomes core.v1, io.k8s.apimachinery.pkg.apis.meta.v1 becomes meta.v1. */
const alias = (pkg) => pkg.split('.').slice(-2).join('.');

const messageName = (type) => type.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_');

/** Protobuf names differ from JSON names in case and special characters: uID, xKubernetesListType. */
const comparable = (name) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** [number, JSON name] of the fields of a message, in Go's order; fields of inlined structs as outer.inner. */
function fieldOrder(message, properties) {
  const byComparable = new Map(Object.keys(properties).map((name) => [comparable(name), name]));
  return messages[message].flatMap(([number, protobufName, type]) => {
    const name = properties[protobufName] ? protobufName : byComparable.get(comparable(protobufName));
    if (name) return [[String(number), name]];
    const inlined = type.includes('.') ? type : `${packageOf(message)}.${type}`;
    return fieldOrder(inlined, properties).map(([inner, innerName]) => [`${number}.${inner}`, innerName]);
  });
}

function reference(name, pkg) {
  return packageOf(name) === pkg ? shortName(name) : `${alias(packageOf(name))}.${shortName(name)}`;
}

function scalarOf(schema) {
  if (schema.type === 'string') return schema.format === 'byte' ? 'bytes' : 'string';
  return { integer: schema.format, number: 'double', boolean: 'boolean' }[schema.type];
}

function typeOf(schema, pkg) {
  if (schema.$ref) {
    const mark = free.test(schema.$ref) ? '*' : '';
    return scalarTypes[schema.$ref] ?? mark + reference(schema.$ref, pkg);
  }
  if (schema.type === 'array') return `[]${typeOf(schema.items, pkg)}`;
  if (schema.type === 'object') return `{}${typeOf(schema.additionalProperties, pkg)}`;
  return scalarOf(schema) ?? fail(`no type for ${JSON.stringify(schema)}`);
}

function fail(message) {
  throw new Error(message);
}

/** A named list type of Go is a message whose field 1 is the list. */
function wrapped(message, number, schema) {
  const field = messages[message]?.find(([n]) => String(n) === number);
  const isList = schema.type === 'array' && !field?.[2].startsWith('[]');
  const isListInMap = schema.additionalProperties?.type === 'array';
  return field && (isList || isListInMap);
}

const isZero = (value) => value === '' || value === 0 || value === false || JSON.stringify(value) === '{}';

function marksOf(schema, required) {
  const list = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const strategy = schema['x-kubernetes-patch-strategy'];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const enumeration = schema.enum ?? schema.items?.enum ?? schema.additionalProperties?.enum;
  return [
    required && '!',
    'default' in schema && (isZero(schema.default) ? '=' : `=(${JSON.stringify(schema.default)})`),
    list && (keys ? `${list}(${keys})` : list),
    schema['x-kubernetes-map-type'],
    strategy && `patch(${strategy})`,
    mergeKey && `key(${mergeKey})`,
    enumeration && `enum(${enumeration})`,
  ].filter(Boolean);
}

function fieldsOf(name, schema) {
  const properties = schema.properties ?? {};
  const pkg = packageOf(name);
  const message = messageName(name);
  const numbered = messages[message] ? fieldOrder(message, properties) : [];
  const seen = new Set(numbered.map(([, field]) => field));
  const implied = isKind(schema) ? ['kind', 'apiVersion'] : [];
  const rest = Object.keys(properties).filter((field) => !seen.has(field) && !implied.includes(field));
  return [...numbered, ...rest.map((field) => ['-', field])].map(([number, field]) => {
    const property = properties[field];
    const type = (wrapped(message, number, property) ? '~' : '') + typeOf(property, pkg);
    return [field, number, type, ...marksOf(property, schema.required?.includes(field))].join(' ');
  });
}

/** Kinds start with kind and apiVersion, which protobuf does not encode. */
function isKind(schema) {
  return Boolean(schema['x-kubernetes-group-version-kind'] && schema.properties.apiVersion);
}

function unionMark([union]) {
  const members = Object.entries(union['fields-to-discriminateBy']).map(([field, value]) => `${field}=${value}`);
  return `union(${[union.discriminator ?? '', ...members]})`;
}

function flagsOf(schema) {
  const gvks = schema['x-kubernetes-group-version-kind'] ?? [];
  return [
    isKind(schema) && 'kind',
    gvks.length > 1 && 'everywhere',
    schema['x-kubernetes-map-type'],
    schema['x-kubernetes-unions'] && unionMark(schema['x-kubernetes-unions']),
  ].filter(Boolean);
}

function typeLine(name) {
  const schema = schemas[name];
  return `${[shortName(name), ...flagsOf(schema)].join(' ')}: ${fieldsOf(name, schema).join('; ')}`.trimEnd();
}

function groupVersionOf(types) {
  for (const type of types) {
    const gvks = schemas[type]['x-kubernetes-group-version-kind'];
    if (gvks?.length === 1) return `${gvks[0].group}/${gvks[0].version}`;
  }
  return '';
}

function packageLines(pkg) {
  const types = Object.keys(schemas).filter((name) => packageOf(name) === pkg && isStruct(name));
  return [`@${pkg} ${groupVersionOf(types)}`.trimEnd(), ...types.map(typeLine)];
}

const everywhere = schemas[`${meta}.DeleteOptions`]['x-kubernetes-group-version-kind'];
const packages = [...new Set(Object.keys(schemas).map(packageOf))].sort();
if (new Set(packages.map(alias)).size < packages.length) fail('two packages have the same alias');
const lines = packages.flatMap(packageLines);
for (const line of lines) if (/[`\\]|\$\{/.test(line)) fail(`a template literal cannot hold ${line}`);

const output = new URL('../packages/api/src/types.ts', import.meta.url);
writeFileSync(
  output,
  `// Written by scripts/import-facts.mjs; type-line.ts reads it.
/** The group/versions in which DeleteOptions and WatchEvent are known. */
export const everywhere =
  '${everywhere.map(({ group, version }) => `${group}/${version}`).join(' ')}';
export const typeLines = \`${lines.join('\n')}\`;
`,
);
console.log(`${lines.length - packages.length} types`);
