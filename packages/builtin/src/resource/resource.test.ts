import { alwaysDenyAuthorizer } from '@tsukube/apiserver';
import { FieldErrors, type JsonObject, type KubeObject, path } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { validateAttribute } from './device.ts';
import { resourceClaim } from './resource-claim.ts';

const { strategy, hub, subresources } = resourceClaim(alwaysDenyAuthorizer);

function claim(devices: JsonObject): JsonObject {
  const object: JsonObject = { metadata: { name: 'c' }, spec: { devices: structuredClone(devices) } };
  strategy.applyDefaults?.(object as KubeObject);
  return object;
}

describe('claims', () => {
  const exactly = { deviceClassName: 'gpu' };
  const alternatives = [{ name: 'big', deviceClassName: 'gpu' }];
  it.each<[string, JsonObject, string[]]>([
    ['without requests', {}, []],
    ['of one device', { requests: [{ name: 'a', exactly }] }, []],
    [
      'of alternatives',
      {
        requests: [{ name: 'a', firstAvailable: alternatives }],
        constraints: [{ requests: ['a/big'], matchAttribute: 'x.y/z' }],
      },
      [],
    ],
    ['of both', { requests: [{ name: 'a', exactly, firstAvailable: alternatives }] }, ['spec.devices.requests[0]']],
    [
      'of the same twice',
      {
        requests: [
          { name: 'a', exactly },
          { name: 'a', exactly },
        ],
      },
      ['spec.devices.requests[1]'],
    ],
    [
      'of all, and so many',
      { requests: [{ name: 'a', exactly: { ...exactly, allocationMode: 'All', count: 2 } }] },
      ['spec.devices.requests[0].exactly.count'],
    ],
    [
      'with a setting for a request that is not there',
      { config: [{ requests: ['b'], opaque: { driver: 'd.e', parameters: {} } }] },
      ['spec.devices.config[0].requests[0]'],
    ],
  ])('%s', (_title, devices, fields) => {
    const errors = new FieldErrors();
    strategy.validateCreate?.(claim(devices) as KubeObject, errors, hub);
    expect(errors.list.map(({ field }) => field)).toEqual(fields);
  });

  it('can be reserved only after allocation', () => {
    const object = { ...claim({}), status: { reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] } };
    const errors = new FieldErrors();
    subresources?.status?.strategy?.validateUpdate?.(object as JsonObject as KubeObject, claim({}) as KubeObject, errors, hub);
    expect(errors.toString()).toBe('status.reservedFor: Forbidden: may not be specified when `allocated` is not set');
  });
});

describe('attributes', () => {
  it.each<[JsonObject, number]>([
    [{ int: 0 }, 0],
    [{ version: '1.2.3-rc.1+b' }, 0],
    [{ version: '1.2' }, 1],
    [{ version: `1.2.${'1-'.repeat(100_000)}!` }, 2],
    [{ string: 'x'.repeat(65) }, 1],
    [{}, 1],
    [{ int: 1, bool: true }, 1],
  ])('%j', (attribute, problems) => {
    const errors = new FieldErrors();
    validateAttribute(attribute, path('a'), errors);
    expect(errors.length).toBe(problems);
  });
});
