import type { Random } from '../../support/random.ts';
import type { Sample } from './samples.ts';

/** Bytes with a meaning to one of the parsers. */
const tokens = [
  '%00',
  '%2F',
  '%2e%2e/',
  '../',
  '//',
  '%',
  '%ff',
  '\u0000',
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\t',
  ' ',
  '"',
  "'",
  '\\',
  '\\u0000',
  '\\ud800',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '&',
  '=',
  '?',
  '#',
  ';',
  '!',
  '*',
  '&a *a',
  '<<: *a',
  '---\n',
  '- ',
  '|',
  '>',
  '~',
  'null',
  'true',
  'NaN',
  '-1',
  '0',
  '1e400',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '0.1',
  '__proto__',
  'constructor',
  'metadata',
  'kind',
  'watch=1',
  'limit=-1',
  'continue=',
  'resourceVersion=abc',
  'resourceVersion=0',
  'fieldSelector=metadata.name=a',
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'chunked',
  'gzip',
  '\u00ff\u00fe',
  '\ufeff',
  '\u{10ffff}',
  'é',
].map((token) => Buffer.from(token));

type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const mutations: readonly Mutation[] = [
  function flipBits(bytes, random) {
    const out = Buffer.from(bytes);
    for (let i = 0; i <= random(4); i++) {
      const at = random(out.length);
      out[at] = (out[at] as number) ^ (1 << random(8));
    }
    return out;
  },
  function setByte(bytes, random) {
    const out = Buffer.from(bytes);
    out[random(out.length)] = random(256);
    return out;
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random(bytes.length));
  },
  function removeRange(bytes, random) {
    const [from, to] = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  function repeatRange(bytes, random) {
    const [from, to] = range(bytes, random);
    const times = random(10) === 0 ? 1 + random(2000) : 1 + random(4);
    const repeated = Buffer.concat(Array(times).fill(bytes.subarray(from, to))).subarray(0, 200_000);
    return Buffer.concat([bytes.subarray(0, to), repeated, bytes.subarray(to)]);
  },
  function insertToken(bytes, random) {
    const at = random(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), tokens[random(tokens.length)] as Buffer, bytes.subarray(at)]);
  },
  function replaceByToken(bytes, random) {
    const [from, to] = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), tokens[random(tokens.length)] as Buffer, bytes.subarray(to)]);
  },
  function splice(bytes, random, other) {
    const [from, to] = range(other, random);
    const at = random(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), other.subarray(from, to), bytes.subarray(at + random(2) * (to - from))]);
  },
];

function range(bytes: Buffer, random: Random): [number, number] {
  const from = random(bytes.length);
  return [from, Math.min(bytes.length, from + 1 + random(random(4) === 0 ? 200 : 8))];
}

/** Applies a few mutations. */
export function mutateBytes(bytes: Buffer, random: Random, other: Buffer): Buffer {
  let out = bytes;
  for (let i = 0; i <= random(3); i++) out = (mutations[random(mutations.length)] as Mutation)(out, random, other);
  return out;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'FOO'];
const types = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
];

/** Mutates one part of a request, with material from another one. Strings have one character per byte. */
export function mutateSample(sample: Sample, other: Sample, random: Random): Sample {
  const text = (value: string, from: string) =>
    mutateBytes(Buffer.from(value, 'latin1'), random, Buffer.from(from)).toString('latin1');
  switch (random(6)) {
    case 0:
      return { ...sample, path: `/${text(sample.path.slice(1), other.path)}` };
    case 1:
      return { ...sample, method: random(3) === 0 ? text(sample.method, 'X') : (methods[random(methods.length)] as string) };
    case 2:
      return { ...sample, headers: mutateHeaders(sample.headers, other.headers, random, text) };
    case 3:
      return { ...sample, headers: { ...sample.headers, 'content-type': types[random(types.length)] as string } };
    case 4:
      return { ...other, body: sample.body, headers: { ...other.headers, ...sample.headers } };
    default:
      return { ...sample, body: mutateBytes(sample.body, random, other.body.length > 0 ? other.body : Buffer.from('{}')) };
  }
}

function mutateHeaders(
  headers: Sample['headers'],
  other: Sample['headers'],
  random: Random,
  text: (value: string, from: string) => string,
): Sample['headers'] {
  const entries = Object.entries({ ...headers, ...other });
  const [name, value] = entries[random(entries.length)] as [string, string];
  return { ...headers, [name]: text(value, Object.values(other).join()) };
}
