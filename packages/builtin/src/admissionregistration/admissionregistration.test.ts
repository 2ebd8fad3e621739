import { FieldErrors, type JsonObject, type KubeObject, path } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { shownSelector } from './policy-validation.ts';
import { validateResources } from './rules.ts';
import { validatingWebhookConfiguration } from './webhook-configuration.ts';

const { strategy, hub } = validatingWebhookConfiguration;
const hook = { name: 'a.b.c', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: { url: 'https://h/x' } };

function problemsOf(...webhooks: JsonObject[]): readonly string[] {
  const object: JsonObject = { metadata: { name: 'w' }, webhooks: structuredClone(webhooks) };
  strategy.applyDefaults?.(object as KubeObject);
  const errors = new FieldErrors();
  strategy.validateCreate?.(object as KubeObject, errors, hub);
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

describe('webhooks', () => {
  it.each([
    ['http://h', 'Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]'],
    ['https:///x', 'Invalid value: "": host must be specified; desired format: https://host[/path]'],
    ['https://u@h', 'Invalid value: "u": user information is not permitted in the URL'],
    ['https://h?q=1', 'Invalid value: "q=1": query parameters are not permitted in the URL'],
    [
      'https://h:x',
      'Required value: url must be a valid URL: parse "https://h:x": invalid port ":x" after host; desired format: https://host[/path]',
    ],
  ])('rejects the URL %s', (url, problem) => {
    expect(problemsOf({ ...hook, clientConfig: { url } })).toEqual([`webhooks[0].clientConfig.url: ${problem}`]);
  });

  it('accepts a webhook with defaults', () => expect(problemsOf(hook)).toEqual([]));

  it('requires unique names', () => {
    expect(problemsOf(hook, hook)).toEqual(['webhooks[1].name: Duplicate value: "a.b.c"']);
  });

  it('ratchets values that were invalid before', () => {
    const old: JsonObject = { webhooks: [{ ...hook, sideEffects: 'Some', timeoutSeconds: 5 }] };
    const errors = new FieldErrors();
    strategy.validateUpdate?.(structuredClone(old) as KubeObject, old as KubeObject, errors, hub);
    expect(errors.length).toBe(0);
  });
});

describe('resources of a rule', () => {
  it.each([
    [['pods', 'pods/*'], []],
    [['pods/*', 'pods/log'], ['resources[1]']],
    [['*/log', 'pods/log'], ['resources[1]']],
    [['*/*', 'pods'], ['resources']],
    [['*', 'pods'], ['resources']],
    [['*', 'pods/log'], []],
    [[], ['resources']],
  ])('%j', (resources, fields) => {
    const errors = new FieldErrors();
    validateResources(resources, path('resources'), errors);
    expect(errors.list.map(({ field }) => field)).toEqual(fields);
  });
});

it('formats selectors as Go does', () => {
  expect(shownSelector({ matchLabels: { b: '2', a: '1' } })).toBe(
    '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}',
  );
});
