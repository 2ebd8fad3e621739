// Collects the descriptions of types and fields from the typings of kubernetes-models into packages/api/dist/descriptions.json:
//   { IoK8sApiCoreV1ConfigMap: { '': 'ConfigMap holds …', data: 'Data contains …' } }
// Each type is on its own line, so that one type can be read without parsing the rest. The file is optional: without it
// `kubectl explain` and table headers have no descriptions.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['kubernetes-models', '@kubernetes-models/apimachinery', '@kubernetes-models/base/dist'];
const output = join(root, 'packages/api/dist/descriptions.json');

const comment = String.raw`/\*\*((?:(?!\*/)[^])*)\*/`;
const typePattern = new RegExp(String.raw`(?:${comment}\n)?export (?:interface|type) (\w+)([^]*?)\n(?=\}|export)`);
const fieldPattern = new RegExp(String.raw`^ {4}${comment}\n {4}"?([^"?:]+)"?\??:`, 'gm');
const aliasPattern = / as I(IoK8s\w+)/;

/** The text of a doc comment without its margin, escapes and tags. */
function textOf(body) {
  return body
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .replace(/\n@deprecated\s*$/, '')
    .replace(/\\([*/])/g, '$1')
    .trim();
}

function describeType(source) {
  const [, description, name, body] = typePattern.exec(source) ?? [];
  if (!name) return undefined;
  const fields = [...body.matchAll(fieldPattern)].map(([, text, field]) => [field, textOf(text)]);
  return [aliasPattern.exec(source)?.[1] ?? name, Object.fromEntries([['', textOf(description ?? '')], ...fields])];
}

const isType = (file) => file.endsWith('.d.ts') && !file.endsWith('index.d.ts') && !file.includes('_schemas');

function typesOf(source) {
  const folder = join(root, 'node_modules', source);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true }).filter(isType);
  return files.map((file) => describeType(readFileSync(join(folder, file), 'utf8'))).filter(Boolean);
}

const descriptions = new Map(sources.flatMap(typesOf));
const lines = Array.from(descriptions, ([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, `{\n${lines.join(',\n')}\n}\n`);
console.log(`descriptions of ${lines.length} types`);
