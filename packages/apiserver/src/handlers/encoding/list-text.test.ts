import { parseJson, stringifyJsonPretty, stringifyYaml } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../http/negotiation.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { type ListWriter, listText } from './list-body.ts';

const yaml: Output = { mediaType: 'application/yaml', as: 'object', metaVersion: 'v1', pretty: false };
const pretty: Output = { mediaType: 'application/json', as: 'object', metaVersion: 'v1', pretty: true };

/** Items are written as they are, each with a comma before it. */
function writerOf(head: string): ListWriter {
  return {
    head: Buffer.from(head),
    tail: Buffer.from(']}\n'),
    separated: true,
    size: ({ value }) => value.length + 1,
    write: ({ value }, out, at) => {
      out.write(',', at);
      return at + 1 + value.copy(out, at + 1);
    },
  };
}

function entries(count: number): CacheEntry[] {
  return Array.from({ length: count }, (_, i) => {
    const object = {
      metadata: { name: `c${i}`, labels: { a: 'b' } },
      data: { text: 'a\n  b: "c"\n', empty: '' },
      list: [[], {}, 1],
    };
    return { key: `/c${i}`, value: Buffer.from(JSON.stringify(object)), revision: i, created: i, derived: undefined };
  });
}

describe('listText', () => {
  const objects = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[';
  const table = '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[{"name":"Name"}],"rows":[';

  it.each([
    ['YAML', objects, yaml],
    ['YAML of a table', table, yaml],
    ['indented', objects, pretty],
    ['an indented table', table, pretty],
  ])('yields pieces of the same text as a single encoding: %s', (_, head, output) => {
    const some = entries(2000);
    const pieces = [...listText(writerOf(head), some, output)];
    const { value } = parseJson(Buffer.from(`${head}${some.map(({ value }) => value.toString()).join(',')}]}`));
    expect(Buffer.concat(pieces).toString()).toBe(output === yaml ? stringifyYaml(value) : stringifyJsonPretty(value));
    expect(pieces.length).toBeGreaterThan(2);
  });
});
