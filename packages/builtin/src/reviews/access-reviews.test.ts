import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { accessIn, subjectIn } from './access-attributes.ts';
import { validateAccessReview } from './access-validation.ts';

const pods = { verb: 'get', resource: 'pods', namespace: 'a' };
const metadata = { namespace: 'a' };
const fields = [
  { field: 'a', operator: '=', value: 'b' },
  { field: 'c', operator: '!=', value: 'd' },
];

describe('access reviews', () => {
  it.each<[string, JsonObject, JsonObject, boolean, string | undefined]>([
    ['of a user', {}, { user: 'u', resourceAttributes: pods }, false, undefined],
    ['of a group', {}, { groups: ['g'], resourceAttributes: pods }, false, undefined],
    ['without a user', {}, { resourceAttributes: pods }, false, 'spec.user'],
    ['without attributes', {}, { user: 'u' }, false, 'spec.resourceAttributes'],
    ['with a name', { name: 'x' }, { user: 'u', resourceAttributes: pods }, false, 'metadata'],
    [
      'of another namespace',
      metadata,
      { user: 'u', resourceAttributes: { ...pods, namespace: 'b' } },
      true,
      'spec.resourceAttributes.namespace',
    ],
    [
      'of a path in a namespace',
      metadata,
      { user: 'u', nonResourceAttributes: { path: '/' } },
      true,
      'spec.nonResourceAttributes',
    ],
  ])('%s', (_title, given, spec, local, field) => {
    const check = () => validateAccessReview({ metadata: given, spec }, { subject: true, local });
    if (field === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(`is invalid: ${field}: `);
  });

  it('use the subject of the spec', () => {
    expect(subjectIn({ user: 'u', groups: ['g'], extra: { k: ['v'] } })).toEqual({
      name: 'u',
      uid: '',
      groups: ['g'],
      extra: { k: ['v'] },
    });
  });

  const user = { name: 'u', groups: [] };
  const asked = (resource: JsonObject) => accessIn({ resourceAttributes: resource }, user);

  it('convert non-resource attributes and default the version to *', () => {
    expect(accessIn({ nonResourceAttributes: { path: '/x', verb: 'get' } }, user)).toMatchObject({
      isResource: false,
      path: '/x',
      verb: 'get',
      version: '',
    });
    expect(asked(pods)).toMatchObject({ isResource: true, resource: 'pods', namespace: 'a', version: '*', path: '' });
  });

  it.each<[string, JsonObject, unknown]>([
    ['text', { rawSelector: 'a=b,c!=d' }, { requirements: fields }],
    ['bad text', { rawSelector: 'a' }, { requirements: [], error: "invalid selector: 'a'; can't understand 'a'" }],
    ['one value', { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] }, { requirements: [fields[0]] }],
    [
      'operators that field selectors lack',
      {
        requirements: [
          { key: 'c', operator: 'NotIn', values: ['d'] },
          { key: 'e', operator: 'Exists' },
        ],
      },
      { requirements: [fields[1]], error: 'fieldSelectors do not yet support Exists' },
    ],
  ])('parse field selectors: %s', (_title, fieldSelector, expected) => {
    expect(asked({ ...pods, fieldSelector }).fieldSelector).toEqual(expected);
  });

  it('parse label selectors', () => {
    const requirements = [
      { key: 'a', operator: 'Like' },
      { key: 'b', operator: 'Exists' },
    ];
    expect(asked({ ...pods, labelSelector: { requirements } }).labelSelector).toEqual({
      requirements: [{ key: 'b', operator: 'exists', values: [] }],
      error: '"Like" is not a valid label selector operator',
    });
  });
});
