import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../errors/field-errors.ts';
import type { JsonObject } from '../json/value.ts';
import { generateName, newUid } from './generate-name.ts';
import { parseApiVersion } from './group.ts';
import { formatMicroTime, formatTime, humanDuration } from './time.ts';
import { isQualifiedName, isValidLabelValue } from './validation/labels.ts';
import {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  isWildcardDNS1123Subdomain,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
} from './validation/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './validation/object-meta.ts';

const beginnings = (messages: readonly string[]) => messages.map((message) => message.slice(0, 42));

describe('names', () => {
  it.each<[string, (value: string) => readonly string[], string, string[]]>([
    ['label', isDNS1123Label, 'a-1', []],
    ['label', isDNS1123Label, 'a.b', ['must not contain dots']],
    ['label', isDNS1123Label, 'A', ['a lowercase RFC 1123 label must consist of']],
    ['label', isDNS1123Label, 'a'.repeat(64), ['must be no more than 63 characters']],
    [
      'label',
      isDNS1123Label,
      '-'.repeat(64),
      ['must be no more than 63 characters', 'a lowercase RFC 1123 label must consist of'],
    ],
    ['subdomain', isDNS1123Subdomain, 'a.b-c.1', []],
    ['subdomain', isDNS1123Subdomain, '', ['a lowercase RFC 1123 subdomain must consis']],
    ['subdomain', isDNS1123Subdomain, 'a..b', ['a lowercase RFC 1123 subdomain must consis']],
    ['subdomain', isDNS1123Subdomain, 'a\n', ['a lowercase RFC 1123 subdomain must consis']],
    ['1035', isDNS1035Label, '1a', ['a DNS-1035 label must consist of lower cas']],
    ['wildcard', isWildcardDNS1123Subdomain, '*.a.b', []],
    ['path', isValidPathSegmentName, '..', ["may not be '..'"]],
    ['path', isValidPathSegmentName, 'a/b%', ["may not contain '/'", "may not contain '%'"]],
    ['qualified', isQualifiedName, 'example.com/Name_1', []],
    ['qualified', isQualifiedName, '/a', ['prefix part must be non-empty']],
    ['qualified', isQualifiedName, 'a/', ['name part must be non-empty', 'name part must consist of alphanumeric cha']],
    ['qualified', isQualifiedName, 'a/b/c', ['a valid label key must consist of alphanum']],
    ['qualified', isQualifiedName, 'a'.repeat(64), ['name part must be no more than 63 bytes']],
    [
      'qualified',
      isQualifiedName,
      'é'.repeat(32),
      ['name part must be no more than 63 bytes', 'name part must consist of alphanumeric cha'],
    ],
    ['qualified', isQualifiedName, 'A.com/b', ['prefix part a lowercase RFC 1123 subdomain']],
    ['value', isValidLabelValue, '', []],
    ['value', isValidLabelValue, 'a'.repeat(64), ['must be no more than 63 bytes']],
    ['value', isValidLabelValue, '-a', ['a valid label must be an empty string or c']],
  ])('%s: %# %o', (_kind, check, value, messages) => {
    expect(beginnings(check(value))).toEqual(messages);
  });

  it('allows a prefix to end with a dash', () => {
    expect(nameIsDNSSubdomain('abc-', true)).toEqual([]);
    expect(nameIsDNSSubdomain('abc-', false)).toHaveLength(1);
    expect(nameIsDNSLabel(`${'a'.repeat(63)}-`, true)).toEqual([]);
  });

  it.each([
    ['v1', { group: '', version: 'v1' }],
    ['apps/v1', { group: 'apps', version: 'v1' }],
    ['a/b/c', undefined],
  ])('apiVersion %s', (text, expected) => {
    expect(parseApiVersion(text)).toEqual(expected);
  });
});

describe('object metadata', () => {
  const validate = (meta: JsonObject, namespaced = true) => {
    const errors = new FieldErrors();
    validateObjectMeta(meta, { namespaced, validateName: nameIsDNSSubdomain }, errors);
    return errors.list.map(({ field, body }) => `${field}: ${body}`);
  };
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

  it.each<[string, JsonObject, string[]]>([
    [
      'nothing wrong',
      { name: 'a', namespace: 'b', labels: { a: 'b' }, annotations: { 'A.com/B': 'x' }, ownerReferences: [owner] },
      [],
    ],
    ['no name', { namespace: 'b' }, ['metadata.name: Required value: name or generateName is required']],
    ['no namespace', { name: 'a' }, ['metadata.namespace: Required value']],
    [
      'generation',
      { name: 'a', namespace: 'b', generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'owner without anything',
      { name: 'a', namespace: 'b', ownerReferences: [{}] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      'event as owner',
      { name: 'a', namespace: 'b', ownerReferences: [{ ...owner, kind: 'Event' }] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'finalizers',
      { name: 'a', namespace: 'b', finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'annotations',
      { name: 'a', namespace: 'b', annotations: { a: 'x'.repeat(262144) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'managed fields',
      { name: 'a', namespace: 'b', managedFields: [{ operation: 'X', manager: 'a\u0007' }] },
      [
        'metadata.managedFields[0].operation: Invalid value: "X": must be `Apply` or `Update`',
        'metadata.managedFields[0].manager: Invalid value: "a\\a": invalid character U+0007 (at position 1)',
      ],
    ],
  ])('%s', (_name, meta, messages) => {
    expect(validate(meta)).toEqual(messages);
  });

  it('allows one controller', () => {
    const errors = new FieldErrors();
    const controller = { ...owner, controller: true };
    validateObjectMeta(
      { name: 'a', ownerReferences: [controller, { ...controller, name: 'q' }] },
      { namespaced: false, validateName: nameIsDNSSubdomain },
      errors,
    );
    expect(errors.list).toHaveLength(1);
    expect(errors.list[0]?.body).toMatch(
      /: Only one reference can have Controller set to true. Found "true" in references for Pod\/p and Pod\/q$/,
    );
  });

  it('rejects a namespace of a cluster-scoped object', () => {
    expect(validate({ name: 'a', namespace: 'b' }, false)).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
  });
});

describe('an update of metadata', () => {
  const old = {
    name: 'a',
    namespace: 'b',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const validate = (change: JsonObject, before: JsonObject = old) => {
    const errors = new FieldErrors();
    validateObjectMetaUpdate({ ...before, ...change }, before, errors);
    return errors.list.map(({ field, body }) => `${field}: ${body}`);
  };

  it.each<[string, JsonObject, string[]]>([
    ['nothing', {}, []],
    [
      'no resourceVersion',
      { resourceVersion: '' },
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    ['generation', { generation: 1 }, ['metadata.generation: Invalid value: 1: must not be decremented']],
    ['uid', { uid: 'v' }, ['metadata.uid: Invalid value: "v": field is immutable']],
    [
      'name and namespace',
      { name: '', namespace: 'c' },
      ['metadata.name: Invalid value: "": field is immutable', 'metadata.namespace: Invalid value: "c": field is immutable'],
    ],
    ['creation', { creationTimestamp: null }, ['metadata.creationTimestamp: Invalid value: null: field is immutable']],
    [
      'deletion',
      { deletionTimestamp: '2026-01-01T00:00:00Z' },
      ['metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable'],
    ],
    ['grace', { deletionGracePeriodSeconds: 5 }, ['metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable']],
  ])('%s', (_name, change, messages) => {
    expect(validate(change)).toEqual(messages);
  });

  it('rejects new finalizers of an object that is being deleted', () => {
    const dying = { ...old, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/a'] };
    expect(validate({ finalizers: [] }, dying)).toEqual([]);
    expect(validate({ finalizers: ['x/c', 'x/a', 'x/b'] }, dying)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/b", "x/c"}',
    ]);
  });
});

describe('times and generated names', () => {
  it.each([
    [-5_000, '<invalid>'],
    [-1_900, '0s'],
    [0, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [121_000, '2m1s'],
    [600_000, '10m'],
    [3 * 3_600_000, '3h'],
    [3 * 3_600_000 + 60_000, '3h1m'],
    [8 * 3_600_000, '8h'],
    [48 * 3_600_000, '2d'],
    [49 * 3_600_000, '2d1h'],
    [8 * 86_400_000, '8d'],
    [730 * 86_400_000, '2y'],
    [731 * 86_400_000, '2y1d'],
    [3000 * 86_400_000, '8y'],
  ])('%d ms is %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });

  it('formats times in UTC', () => {
    expect(formatTime(1767225599999)).toBe('2025-12-31T23:59:59Z');
    expect(formatMicroTime(1767225599999.25)).toBe('2025-12-31T23:59:59.999250Z');
  });

  it('generates names within 63 characters from the alphabet without vowels', () => {
    expect(generateName('web-', () => 0)).toBe('web-bbbbb');
    expect(generateName('web-', () => 0.999999)).toBe('web-99999');
    expect(generateName('x'.repeat(100))).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(newUid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
