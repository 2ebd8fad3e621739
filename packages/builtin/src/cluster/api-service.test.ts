import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { expect, it } from 'vitest';
import { apiService } from './api-service.ts';

const spec = { group: 'a.b', version: 'v1', groupPriorityMinimum: 10, versionPriority: 10 };
const service = { namespace: 'n', name: 's' };

it.each<[string, string, JsonObject, string[]]>([
  ['a local one', 'v1.a.b', spec, []],
  ['a remote one', 'v1.a.b', { ...spec, service }, []],
  ['another name', 'v1.c', spec, ['metadata.name']],
  ['no priorities', 'v1.a.b', { group: 'a.b', version: 'v1' }, ['spec.groupPriorityMinimum', 'spec.versionPriority']],
  ['the legacy group', 'v1.', { ...spec, group: '' }, []],
  ['another empty group', 'v2.', { ...spec, group: '', version: 'v2' }, ['spec.group']],
  ['a local one with a bundle', 'v1.a.b', { ...spec, caBundle: 'YQ==' }, ['spec.caBundle']],
  ['a service without names', 'v1.a.b', { ...spec, service: {} }, ['spec.service.namespace', 'spec.service.name']],
])('%s', (_title, name, given, fields) => {
  const object: JsonObject = { metadata: { name }, spec: structuredClone(given) };
  apiService.strategy.applyDefaults?.(object as KubeObject);
  const errors = new FieldErrors();
  apiService.strategy.validateCreate?.(object as KubeObject, errors, apiService.hub);
  expect(errors.list.map(({ field }) => field)).toEqual(fields);
});
