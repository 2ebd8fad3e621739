import { describe, expect, it } from 'vitest';
import { columnsOf, noColumns } from './columns.ts';

const head = '{"kind":"ConfigMap","apiVersion":"v1","metadata":';

describe('columns of a stored object', () => {
  it.each([
    [
      `${head}{"name":"a","namespace":"n","labels":{"app":"web"}},"data":{"metadata":"{"}}`,
      { kind: 'ConfigMap', apiVersion: 'v1', name: 'a', namespace: 'n', labels: '{"app":"web"}' },
    ],
    [`${head}{"name":"}\\"{","annotations":{"x":"{{\\\\"}}}`, { name: '}"{', namespace: null, labels: null }],
    [`${head}{"name":"a\\u0000b"}}`, { kind: 'ConfigMap', name: null }],
    [`${head}{"name":"\\ud800"}}`, { kind: 'ConfigMap', name: null }],
    [`${head}{"name":"a","labels":{"k":"\\u0000"}}}`, { name: 'a', labels: null }],
    [`${head}{"name":"${'x'.repeat(300)}"}}`, { kind: 'ConfigMap', name: null }],
  ])('%s', (text, expected) => {
    expect(columnsOf(Buffer.from(text))).toMatchObject(expected);
  });

  it.each([
    'k8s:enc:secretbox:v1:k:xyz',
    '',
    '{',
    '{}',
    'k8s\0protobuf',
    `${head}{"name":"a"`,
    `${head}{"annotations":{"big":"${'x'.repeat(70_000)}"}}}`,
  ])('has none for %.40s', (text) => {
    expect(columnsOf(Buffer.from(text))).toEqual(noColumns);
  });
});
