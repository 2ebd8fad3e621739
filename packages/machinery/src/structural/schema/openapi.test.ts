import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/value.ts';
import { toOpenApi } from './openapi.ts';

/** A schema as published by a kube-apiserver. */
const published = JSON.parse(readFileSync(new URL('./published.json', import.meta.url), 'utf8')) as Record<string, JsonObject>;

describe('published schemas', () => {
  it.each([
    ['v3', false],
    ['v2', true],
  ])('%s', (version, v2) => expect(toOpenApi(published.schema, { v2 })).toEqual(published[version]));

  it.each<[string, JsonObject | undefined, boolean]>([
    ['no schema', undefined, false],
    ['a schema that is not structural', { type: 'object', properties: { a: {} } }, false],
    ['a schema with odd types', { type: 'object', properties: { a: { type: 'text' } } }, false],
    ['unknown fields are kept, and v2', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, true],
  ])('are empty for %s', (_title, props, v2) => expect(toOpenApi(props, { v2 })).toEqual({ type: 'object' }));
});
