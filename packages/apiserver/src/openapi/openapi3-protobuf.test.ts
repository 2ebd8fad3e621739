import { readFileSync } from 'node:fs';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { openApi3Protobuf } from './openapi3-protobuf.ts';

interface Recorded {
  readonly path: string;
  readonly document: JsonObject;
  readonly protobuf: string;
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('recorded/openapi3-protobuf.json', import.meta.url), 'utf8'),
);

/** Encodes a schema within a document and returns the schema's bytes. */
async function schemaBytes(schema: JsonObject): Promise<string> {
  const bytes = await openApi3Protobuf({ components: { schemas: { S: schema } } });
  // Headers of components, schemas, pair, name, value and schema have two bytes each.
  return bytes.subarray(2 + 2 + 2 + 3 + 2 + 2).toString('latin1');
}

describe('OpenAPI 3 in protobuf', () => {
  it.each(recorded)('$path equals the value that kube-apiserver wrote', async ({ document, protobuf }) => {
    const wanted = Buffer.from(protobuf, 'base64');
    const written = await openApi3Protobuf(document);
    // Fields are ordered by number in the recording and by document order here.
    expect(written.length).toBe(wanted.length);
    expect([...written].sort()).toEqual([...wanted].sort());
  });

  it.each([
    [{ type: 'string' }, '\xca\x01\x06string'],
    [{ maxLength: 300 }, '\x78\xac\x02'],
    [{ minimum: 1 }, '\x69\0\0\0\0\0\0\xf0\x3f'],
    [{ default: true }, '\x8a\x02\x02\x10\x01'],
    [{ default: 'a' }, '\x8a\x02\x03\x1a\x01a'],
    [{ default: {} }, '\x8a\x02\x00'],
    [{ additionalProperties: true }, '\x82\x02\x02\x10\x01'],
    [{ items: { $ref: 'r' } }, '\xf2\x01\x07\x0a\x05\x12\x03\x0a\x01r'],
    [{ 'x-kubernetes-list-type': 'set' }, '\xa2\x02\x21\x0a\x16x-kubernetes-list-type\x12\x07\x12\x05"set"'],
    [{ unheardOf: 1 }, ''],
  ] as [JsonObject, string][])('writes %j', async (schema, bytes) => {
    expect(await schemaBytes(schema)).toBe(bytes);
  });
});
