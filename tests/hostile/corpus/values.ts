import type { Any } from '../../support/client.ts';
import { keys, type LargeRequest, post, times } from './request.ts';
import { list, rule, text } from './schemas.ts';

const formats = [
  'date-time',
  'date',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
  'cidr',
  'mac',
  'byte',
  'duration',
  'isbn',
  'creditcard',
  'hexcolor',
  'rgbcolor',
  'ssn',
  'bsonobjectid',
  'password',
];
const strings = ['a', '1', 'a.', 'a-', '::', '1.', '%', '"', ' ', '(', 'é'];

/** Fields of a custom resource, one per schema keyword, with large values. */
const valueFields: readonly (readonly [name: string, schema: Any, count: number, value: (count: number) => Any])[] = [
  ['pattern', { type: 'string', pattern: '^(a+)+$' }, 5_000, (n) => `${'a'.repeat(n)}b`],
  ['patterns', list({ type: 'string', pattern: '^[a-z]+$' }), 3_000, (n) => times(n, () => 'a')],
  ['enumText', list({ type: 'string', enum: times(500, String) }), 3_000, (n) => times(n, String)],
  ['enumNumber', list({ type: 'number', enum: times(100, (i) => i) }), 1_000, (n) => times(n, () => 1000)],
  ['anyOf', list({ type: 'integer', anyOf: times(20, (i) => ({ minimum: 1000 + i })) }), 1_000, (n) => times(n, () => 1)],
  ['oneOf', list({ type: 'integer', oneOf: times(20, (i) => ({ minimum: i })) }), 1_000, (n) => times(n, () => 1)],
  ['allOf', list({ type: 'integer', allOf: times(20, (i) => ({ minimum: i })) }), 1_000, (n) => times(n, () => 1)],
  ['not', list({ type: 'integer', not: { minimum: 1 } }), 3_000, (n) => times(n, () => 1)],
  ['set', list(text, { 'x-kubernetes-list-type': 'set' }), 3_000, (n) => times(n, String)],
  [
    'setOfLists',
    list({ type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' }, { 'x-kubernetes-list-type': 'set' }),
    3_000,
    (n) => times(n, (i) => [String(i)]),
  ],
  [
    'map',
    list(
      { type: 'object', properties: { k: text }, required: ['k'] },
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    ),
    3_000,
    (n) => times(n, (i) => ({ k: String(i) })),
  ],
  ['entries', { type: 'object', additionalProperties: text, maxProperties: 1_000_000 }, 3_000, (n) => keys(n, String)],
  [
    'defaults',
    list({
      type: 'object',
      properties: {
        a: { ...text, default: 'b' },
        c: { type: 'object', default: {}, properties: { d: { ...text, default: 'e' } } },
      },
    }),
    3_000,
    (n) => times(n, () => ({})),
  ],
  ['unknown', { type: 'object', properties: { a: text } }, 5_000, (n) => keys(n, () => 1)],
  ['preserved', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 5_000, (n) => keys(n, () => ({ a: [1] }))],
  [
    'depth',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    2_000,
    (n) => times(Math.min(n, 4_000), (i) => i).reduce<Any>((inner) => ({ a: inner }), {}),
  ],
  [
    'embedded',
    list({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
    1_000,
    (n) => times(n, () => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })),
  ],
  ['intOrString', list({ 'x-kubernetes-int-or-string': true }), 3_000, (n) => times(n, (i) => (i % 2 === 0 ? i : String(i)))],
  ['multipleOf', list({ type: 'number', multipleOf: 0.1 }), 3_000, (n) => times(n, (i) => i + 0.05)],
  ['maxLength', { type: 'string', maxLength: 10 }, 200_000, (n) => 'é'.repeat(n)],
  [
    'rule',
    { ...list({ type: 'integer' }, { maxItems: 20_000 }), 'x-kubernetes-validations': [rule('self.all(x, x > 0)')] },
    2_000,
    (n) => times(n, (i) => i + 1),
  ],
  [
    'matches',
    { ...text, maxLength: 200_000, 'x-kubernetes-validations': [rule("self.matches('^(a*)*$')")] },
    5_000,
    (n) => `${'a'.repeat(n)}b`,
  ],
  [
    'transition',
    {
      ...list(text, { maxItems: 1_000, 'x-kubernetes-list-type': 'set' }),
      'x-kubernetes-validations': [rule('self.exists(x, x == "1")')],
    },
    400,
    (n) => times(n, String),
  ],
  ...formats.map((format): readonly [string, Any, number, (n: number) => Any] => [
    `format-${format}`,
    list({ type: 'string', format }),
    1_000,
    (n) => times(n, (i) => (strings[i % strings.length] as string).repeat(50)),
  ]),
];

const identifier = (name: string) => name.replaceAll('-', '_');

/** The schema with all keyword fields. */
export const keywordSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: Object.fromEntries(valueFields.map(([name, field]) => [identifier(name), field])) },
  },
};

/** Large values of custom resources, and long strings of every format. */
export function values(path: string): readonly LargeRequest[] {
  const objectWith = (name: string, value: Any) => ({
    apiVersion: 'stalls.example.com/v1',
    kind: 'Large',
    metadata: { name: 'x' },
    spec: { [identifier(name)]: value },
  });
  const ofFields = valueFields.map(([name, , count, value]) =>
    post(`value: ${name}`, count, `${path}?dryRun=All`, (n) => objectWith(name, value(n))),
  );
  const ofTexts = formats.flatMap((format) =>
    strings.map((unit, i) => ({
      ...post(`value: format ${format} of ${JSON.stringify(unit)}`, 20_000, `${path}?dryRun=All`, (n) =>
        objectWith(`format-${format}`, [unit.repeat(n)]),
      ),
      isElaborate: i > 2,
    })),
  );
  return [...ofFields, ...ofTexts];
}
