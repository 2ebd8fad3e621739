import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { summaryOf } from './columns.ts';
import { pod } from './pod.ts';
import { qosClassOf } from './qos.ts';

function podOf(spec: JsonObject): KubeObject {
  const object: KubeObject = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, spec };
  pod.strategy.applyDefaults?.(object);
  pod.strategy.prepareForCreate?.(object, { name: 'u', groups: [] }, pod.hub);
  return object;
}

const container = { name: 'c', image: 'x:1' };

describe('pods', () => {
  it.each<[string, JsonObject]>([
    ['BestEffort', {}],
    ['Burstable', { requests: { cpu: '1' } }],
    ['Burstable', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }],
    ['Guaranteed', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: '1024Mi' } }],
  ])('have QoS class %s with %j', (expected, resources) => {
    expect(qosClassOf({ containers: [{ ...container, resources }] })).toBe(expected);
  });

  it('can only change their images; the error has a diff', () => {
    const old = podOf({ containers: [container] });
    const errorsOf = (change: JsonObject): FieldErrors => {
      const next = structuredClone(old) as JsonObject;
      Object.assign(next.spec as JsonObject, change);
      const errors = new FieldErrors();
      pod.strategy.validateUpdate?.(next as KubeObject, old as KubeObject, errors, pod.hub);
      return errors;
    };
    const [first] = (old.spec as { containers: JsonObject[] }).containers;
    expect(errorsOf({ containers: [{ ...first, image: 'y:2' }] }).length).toBe(0);
    const text = String(errorsOf({ hostname: 'h' }));
    expect(text).toContain('pod updates may not change fields other than `spec.containers[*].image`');
    expect(text).toContain('- "Hostname": "",\n+ "Hostname": "h",\n');
  });

  it.each<[string, JsonObject, JsonObject, object]>([
    ['that are not scheduled have no grace period', {}, {}, { kind: 'graceful', seconds: 0 }],
    ['that are scheduled have the grace period of their spec', { nodeName: 'n' }, {}, { kind: 'graceful', seconds: 30 }],
    [
      'whose grace period is zero are removed',
      { nodeName: 'n' },
      { deletionTimestamp: 't', deletionGracePeriodSeconds: 0 },
      { kind: 'now' },
    ],
    [
      'that are terminating keep their grace period',
      { nodeName: 'n' },
      { deletionTimestamp: 't', deletionGracePeriodSeconds: 9 },
      { kind: 'waiting' },
    ],
  ])('%s', (_title, spec, metadata, plan) => {
    const object = podOf({ containers: [container], ...spec });
    Object.assign(object.metadata as JsonObject, metadata);
    expect(pod.strategy.beginDelete?.(object, {})).toEqual(plan);
  });

  it('get the AppArmor profiles of deprecated annotations, with a warning', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' };
    const object: KubeObject = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'p', annotations },
      spec: { containers: [{ ...container }] },
    };
    const warnings: string[] = [];
    pod.strategy.prepareForCreate?.(object, { name: 'u', groups: [] }, pod.hub, (message) => warnings.push(message));
    expect(object.spec).toMatchObject({
      containers: [{ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }],
    });
    expect(warnings).toEqual([
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ]);
  });

  it('are summarized in table cells', () => {
    const status = {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'c',
          ready: false,
          restartCount: 3,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:00:00Z' } },
        },
      ],
    };
    expect(summaryOf({ kind: 'Pod', apiVersion: 'v1', metadata: {}, spec: { containers: [container] }, status })).toEqual({
      ready: '0/1',
      reason: 'CrashLoopBackOff',
      restarts: 3,
      lastRestart: '2026-01-01T00:00:00Z',
    });
  });
});
