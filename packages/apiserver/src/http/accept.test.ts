import { describe, expect, it } from 'vitest';
import { acceptClauses, acceptsMediaType } from './accept.ts';

describe('acceptClauses', () => {
  it.each([
    ['application/json', ['application/json']],
    ['*/*, application/*, application/yaml', ['application/yaml', 'application/*', '*/*']],
    ['text/html;q=0.5, application/json;q=0.9', ['application/json', 'text/html']],
    ['application/json;q=0, application/yaml', ['application/yaml', 'application/json']],
    ['*/*;q=0.9, application/json;q=0.1', ['application/json', '*/*']],
    ['application/json;q=0.1, */*;q=0.9', ['*/*', 'application/json']],
    ['text/html;q=x, application/json;q=0.1', ['application/json', 'text/html']],
    ['*', ['*/*']],
    ['json, , a/b/c, Application/YAML', ['Application/YAML']],
  ])('orders %s', (header, expected) => {
    expect(acceptClauses(header).map(({ mediaType }) => mediaType)).toEqual(expected);
  });

  it('keeps parameters', () => {
    const [clause] = acceptClauses('application/json; as=Table;g = meta.k8s.io;v=v1;x=;y=1=2;z');
    expect(Object.fromEntries(clause?.parameters ?? [])).toEqual({ as: 'Table', g: 'meta.k8s.io', v: 'v1' });
  });
});

describe('acceptsMediaType', () => {
  it.each([
    ['application/json', true],
    ['application/*', true],
    ['*/*', true],
    ['text/*', false],
    ['application/yaml', false],
  ])('%s accepts application/json: %s', (header, expected) => {
    expect(acceptClauses(header).some((clause) => acceptsMediaType(clause, 'application/json'))).toBe(expected);
  });
});
