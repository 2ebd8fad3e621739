import { FieldErrors } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { lease } from './coordination/lease.ts';
import { configMap } from './core/config-map.ts';
import { withFinalizerNames } from './finalizer-names.ts';

describe('finalizers', () => {
  const problem =
    'metadata.finalizers[1]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified';

  it.each([
    [configMap, ['example.com/hold', 'x'], [problem]],
    [configMap, ['orphan', 'kubernetes'], []],
    [lease, ['example.com/hold', 'x'], []],
  ])('%# in a new object', (resource, finalizers, expected) => {
    const errors = new FieldErrors();
    const [checking] = withFinalizerNames([resource]);
    checking?.strategy.validateCreate?.({ metadata: { name: 'a', finalizers } }, errors, resource.hub);
    expect(errors.list.map(({ field, body }) => `${field}: ${body}`)).toEqual(expected);
  });
});
