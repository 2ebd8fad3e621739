import type { AdmissionAttributes } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { pod } from '../../core/pod/pod.ts';
import { sampleAttributes } from '../common/sample-attributes.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { mergeTolerations } from './merge-tolerations.ts';
import { priority } from './priority.ts';
import { serviceAccountAdmission } from './service-account.ts';

const creation = (spec: JsonObject): AdmissionAttributes => sampleAttributes(pod, { spec });

describe('admission of pods', () => {
  it('adds tolerations of 300 seconds for lost nodes', () => {
    const spec: JsonObject = { tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }] };
    defaultTolerationSeconds({ notReady: 300, unreachable: 300 }).mutate?.(creation(spec));
    expect(spec.tolerations).toHaveLength(2);
  });

  it('sets the default priority and rejects a different one', () => {
    const spec: JsonObject = {};
    priority(undefined).mutate?.(creation(spec));
    expect(spec).toEqual({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(() => priority(undefined).mutate?.(creation({ priority: 7 }))).toThrow('the integer value of priority (7)');
    expect(() => priority(undefined).mutate?.(creation({ priorityClassName: 'x' }))).toThrow('no PriorityClass with name x');
  });

  it('rejects pods with a missing service account', async () => {
    const admitted = serviceAccountAdmission(undefined).mutate?.(creation({ serviceAccountName: 'x' }));
    await expect(admitted).rejects.toThrow('error looking up service account ns/x: serviceaccount "x" not found');
  });

  it('merges tolerations that cover each other', () => {
    const all = { operator: 'Exists' };
    const one = { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' };
    expect(mergeTolerations([one], [one, all])).toEqual([all]);
    expect(mergeTolerations([one], [{ ...one, value: 'c' }])).toHaveLength(2);
  });
});
