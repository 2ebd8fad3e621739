import { type AccessPolicy, authenticatedMayAll } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { accessIn, subjectIn } from './access-attributes.ts';
import { validateAccessReview } from './access-validation.ts';

const pods = { verb: 'get', resource: 'pods', namespace: 'a' };
const metadata = { namespace: 'a' };

describe('access reviews', () => {
  it.each<[string, JsonObject, JsonObject, boolean, string | undefined]>([
    ['of a user', {}, { user: 'u', resourceAttributes: pods }, false, undefined],
    ['of a group', {}, { groups: ['g'], resourceAttributes: pods }, false, undefined],
    ['of nobody', {}, { resourceAttributes: pods }, false, 'spec.user'],
    ['of nothing', {}, { user: 'u' }, false, 'spec.resourceAttributes'],
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

  it('ask about the subject that they name', () => {
    expect(subjectIn({ user: 'u', groups: ['g'], extra: { k: ['v'] } })).toEqual({
      name: 'u',
      uid: '',
      groups: ['g'],
      extra: { k: ['v'] },
    });
    expect(accessIn({ nonResourceAttributes: { path: '/x', verb: 'get' } })).toEqual({ of: 'path', path: '/x', verb: 'get' });
  });
});

describe('the policy of today', () => {
  const decide = (name: string, access: Parameters<AccessPolicy['decide']>[1]) =>
    authenticatedMayAll.decide({ name, groups: [] }, access);
  it.each([
    ['somebody', 'u', '/metrics', true],
    ['nobody at health', 'system:anonymous', '/healthz', true],
    ['nobody elsewhere', 'system:anonymous', '/metrics', false],
  ])('%s', (_title, name, path, allowed) => {
    expect(decide(name, { of: 'path', verb: 'get', path })).toEqual({ allowed });
  });
});
