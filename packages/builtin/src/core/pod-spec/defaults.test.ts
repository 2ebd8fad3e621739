import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { isLatestImage } from '../container/container-defaults.ts';
import { defaultPodTemplate } from './defaults.ts';

function defaulted(spec: JsonObject): JsonObject {
  const template: JsonObject = { spec };
  defaultPodTemplate(template);
  return template.spec as JsonObject;
}

describe('defaults of pod templates', () => {
  it.each([
    ['nginx', true],
    ['nginx:latest', true],
    ['nginx:1.27', false],
    ['registry:5000/a/b', true],
    ['registry:5000/a/b:v1', false],
    [`nginx@sha256:${'a'.repeat(64)}`, false],
    [`nginx:latest@sha256:${'a'.repeat(64)}`, true],
    ['Nginx', false],
    [' nginx', false],
    ['a'.repeat(64), false],
  ])('image %s: imagePullPolicy Always is %s', (image, always) => {
    expect(isLatestImage(image)).toBe(always);
  });

  it('sets the defaults of all pods', () => {
    expect(defaulted({ containers: [{ name: 'c', image: 'x:1' }] })).toEqual({
      containers: [
        {
          name: 'c',
          image: 'x:1',
          imagePullPolicy: 'IfNotPresent',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['nothing', {}, { emptyDir: {} }],
    ['hostPath', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    ['secret', { secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
    ['image', { image: { reference: 'x' } }, { image: { reference: 'x', pullPolicy: 'Always' } }],
    [
      'projected',
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }], defaultMode: 420 } },
    ],
  ])('volume source %s', (_title, volume, expected) => {
    const { volumes } = defaulted({ volumes: [{ name: 'v', ...volume }] }) as { volumes: JsonObject[] };
    expect(volumes[0]).toEqual({ name: 'v', ...expected });
  });

  it('sets serviceAccount and serviceAccountName, and rounds resources up', () => {
    const container = { name: 'c', image: 'x', resources: { limits: { cpu: '1n' } } };
    const spec = defaulted({ serviceAccount: 'a', containers: [container] });
    expect(spec.serviceAccountName).toBe('a');
    expect(container.resources.limits.cpu).toBe('1m');
  });
});
