import { FieldErrors, type JsonObject, path } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { defaultPodSpec } from './defaults.ts';
import { validatePodSpec } from './validation.ts';

const container = { name: 'c', image: 'x' };

function errorsOf(spec: JsonObject): string[] {
  const whole: JsonObject = structuredClone({ containers: [container], ...spec }) as JsonObject;
  defaultPodSpec(whole);
  const errors = new FieldErrors();
  validatePodSpec(whole, path('spec'), errors, { name: 'p' });
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

const withContainer = (more: JsonObject): JsonObject => ({ containers: [{ ...container, ...more }] });

describe('validation of pod specs', () => {
  it('accepts a valid spec', () => {
    expect(errorsOf({})).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    ['no containers', { containers: [] }, ['spec.containers: Required value']],
    ['a name twice', { containers: [container, container] }, ['spec.containers[1].name: Duplicate value: "c"']],
    [
      'a port out of range',
      withContainer({ ports: [{ containerPort: 70000 }] }),
      ['spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
    ],
    [
      'a mount of no volume',
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'more requested than allowed',
      withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      'a probe without a way',
      withContainer({ livenessProbe: {} }),
      ['spec.containers[0].livenessProbe: Required value: must specify a handler type'],
    ],
    [
      'two sources of a volume',
      { volumes: [{ name: 'v', emptyDir: {}, secret: { secretName: 's' } }] },
      ['spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'a toleration of everything that is not',
      { tolerations: [{ operator: 'Equal' }] },
      [
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'dns from nowhere',
      { dnsPolicy: 'None' },
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'a Windows pod with fields for Linux',
      { os: { name: 'windows' }, securityContext: { runAsUser: 1 } },
      ['spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod'],
    ],
  ])('rejects %s', (_title, spec, expected) => {
    expect(errorsOf(spec)).toEqual(expected);
  });
});
