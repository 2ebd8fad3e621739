import type { AdmissionAttributes } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configMap } from '../../core/config-map.ts';
import { pod } from '../../core/pod/pod.ts';
import { persistentVolumeClaim } from '../../core/volume/persistent-volume-claim.ts';
import { sampleAttributes } from '../common/sample-attributes.ts';
import { QuotaCharging } from './charging.ts';
import { checkRequest } from './check-request.ts';
import { limitedResources } from './configuration.ts';
import { objectCountEvaluator } from './evaluator.ts';
import { persistentVolumeClaimEvaluator } from './persistent-volume-claim-evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { type QuotaState, quotaState } from './quota-state.ts';
import { resourceListObject } from './resource-list.ts';

const apiVersion = 'apiserver.config.k8s.io/v1';
const configuration = (...limited: JsonObject[]) => ({
  apiVersion,
  kind: 'ResourceQuotaConfiguration',
  limitedResources: limited,
});
const quota = (name: string, hard: JsonObject, used: JsonObject, spec: JsonObject = {}, revision = 1): QuotaState =>
  quotaState({ metadata: { name }, spec: { hard, ...spec }, status: { hard, used } }, revision);
const pods = podEvaluator(Date.now);
const podWith = (spec: JsonObject = {}) =>
  sampleAttributes(pod, { spec: { containers: [{ name: 'c', image: 'i' }], ...spec }, status: {} });
const failureOf = (check: () => unknown): [number, string | undefined, string] => {
  try {
    check();
  } catch (error) {
    const { code, reason, message } = error as StatusError;
    return [code, reason, message];
  }
  throw new Error('the request is not refused');
};

/** The responses of kube-apiserver 1.36.4 with the same configuration. */
describe('limited resources', () => {
  const critical = { scopeName: 'PriorityClass', operator: 'In', values: ['system-cluster-critical', 'system-node-critical'] };
  const limited = limitedResources(
    configuration(
      { resource: 'pods', matchScopes: [critical] },
      { resource: 'persistentvolumeclaims', matchContains: ['.storageclass.storage.k8s.io/requests.storage'] },
      { resource: 'pods', matchScopes: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] },
    ),
  );
  const claim = (storageClassName: string) =>
    sampleAttributes(persistentVolumeClaim, { spec: { storageClassName, resources: { requests: { storage: '1Gi' } } } });
  const node = { priorityClassName: 'system-node-critical' };
  const affinity = {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', namespaces: ['x'] }] } },
  };
  const listed = '{PriorityClass In [system-cluster-critical system-node-critical]}';

  it.each<[string, AdmissionAttributes, string]>([
    ['a scope', podWith(node), `[${listed}]`],
    ['another scope', podWith(affinity), '[{CrossNamespacePodAffinity Exists []}]'],
    ['both scopes', podWith({ ...node, ...affinity }), `[${listed} {CrossNamespacePodAffinity Exists []}]`],
  ])('need a quota for %s', (_, attributes, scopes) => {
    const message = `insufficient quota to match these scopes: ${scopes}`;
    expect(failureOf(() => checkRequest(attributes, pods, [], limited))).toEqual([500, undefined, message]);
  });

  it('need a quota for the resource', () => {
    const name = 'gold.storageclass.storage.k8s.io/requests.storage';
    const check = (storageClass: string, quotas: QuotaState[]) =>
      checkRequest(claim(storageClass), persistentVolumeClaimEvaluator, quotas, limited);
    const message = `persistentvolumeclaims "x" is forbidden: insufficient quota to consume: ${name}`;
    expect(failureOf(() => check('gold', []))).toEqual([403, 'Forbidden', message]);
    expect(check('', []).size).toBe(0);
    const gold = quota('g', { [name]: '1Gi' }, { [name]: '0' });
    expect(resourceListObject(check('gold', [gold]).get('g') ?? new Map())).toEqual({ [name]: '1Gi' });
    expect(failureOf(() => check('silver', [gold]))[2]).toContain('insufficient quota to consume: silver.storageclass');
  });

  it('are covered by a quota of the scope', () => {
    const selector = (value: string) => ({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [value] }] },
    });
    const covering = quota('c', { pods: '1' }, { pods: '0' }, selector('system-node-critical'));
    expect([...checkRequest(podWith(node), pods, [covering], limited).keys()]).toEqual(['c']);
    const bad = quota('bad', { pods: '1' }, { pods: '0' }, selector('not a label'));
    expect(failureOf(() => checkRequest(podWith(), pods, [bad], []))).toEqual([
      500,
      undefined,
      expect.stringMatching(
        /^error matching scopes of quota bad, err: error on matching scope \{PriorityClass In \[not a label\]\}: failed to parse and convert selector: values\[0\]\[PriorityClass\]: Invalid value: "not a label": a valid label must be/,
      ),
    ]);
  });
});

describe('the configuration', () => {
  it.each<[string, JsonObject, string]>([
    [
      'without resource',
      configuration({ apiGroup: 'x' }, { resource: 'pods' }, {}),
      '[limitedResources[0].resource: Required value, limitedResources[2].resource: Required value]',
    ],
    [
      'of another kind',
      { apiVersion, kind: 'Foo' },
      'no kind "Foo" is registered for version "apiserver.config.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31"',
    ],
    [
      'with unknown fields',
      { ...configuration({ resource: 'pods', bar: 1 }), foo: 1 },
      'strict decoding error: unknown field "foo", unknown field "limitedResources[0].bar"',
    ],
    [
      'of another type',
      { ...configuration(), limitedResources: 5 },
      'json: cannot unmarshal number into Go struct field Configuration.limitedResources of type []v1.LimitedResource',
    ],
  ])('is refused %s', (_, given, message) => {
    expect(() => limitedResources(given)).toThrow(new Error(message));
  });

  it('has older versions', () => {
    const given = { apiVersion: 'resourcequota.admission.k8s.io/v1beta1', kind: 'Configuration' };
    expect(limitedResources({ ...given, limitedResources: [{ resource: 'pods' }] })).toHaveLength(1);
  });
});

describe('an update', () => {
  const claims = (storage: string, more: JsonObject = {}) => ({
    metadata: { name: 'x', resourceVersion: '1' },
    spec: { resources: { requests: { storage } }, ...more },
  });
  const check = (next: JsonObject, old: JsonObject, state: QuotaState, subresource = '') =>
    checkRequest(
      sampleAttributes(persistentVolumeClaim, next, old, { subresource }),
      persistentVolumeClaimEvaluator,
      [state],
      [],
    );
  const storage = quota('q', { 'requests.storage': '10Gi' }, { 'requests.storage': '8Gi' });

  it('is charged for the difference', () => {
    const usage = check(claims('7Gi'), claims('5Gi'), storage).get('q');
    expect(resourceListObject(usage ?? new Map())).toEqual({ 'requests.storage': '10Gi' });
    expect(failureOf(() => check(claims('8Gi'), claims('5Gi'), storage))[2]).toContain('requested: requests.storage=3Gi');
  });

  it('that reduces usage is not charged', () => {
    expect(check(claims('1Gi'), claims('5Gi'), storage).size).toBe(0);
  });

  it('of the status is charged, and never refused', () => {
    const usage = check(claims('80Gi'), claims('5Gi'), storage, 'status').get('q');
    expect(resourceListObject(usage ?? new Map())).toEqual({ 'requests.storage': '83Gi' });
  });

  it('into the scope of a quota is charged completely', () => {
    const scoped = quota(
      'q',
      { 'requests.storage': '10Gi' },
      { 'requests.storage': '0' },
      {
        scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }] },
      },
    );
    const usage = check(claims('5Gi', { volumeAttributesClassName: 'fast' }), claims('5Gi'), scoped).get('q');
    expect(resourceListObject(usage ?? new Map())).toEqual({ 'requests.storage': '5Gi' });
  });
});

describe('charging', () => {
  const evaluator = objectCountEvaluator({ group: '', resource: 'configmaps' }, 'configmaps');
  const conflict = StatusError.conflict({ group: '', resource: 'resourcequotas' }, 'q', 'changed');
  const create = () => sampleAttributes(configMap, {});
  let stored: QuotaState;
  let updates: number;
  const update = async (_: string, next: QuotaState): Promise<void> => {
    await Promise.resolve();
    if (next.revision !== stored.revision) throw conflict;
    updates++;
    stored = { ...next, revision: stored.revision + 1 };
  };
  const charging = (write = update) => new QuotaCharging({ fresh: () => undefined, read: () => [stored] }, write, [], () => 0.5);
  beforeEach(() => {
    vi.useFakeTimers();
    stored = quota('q', { configmaps: '10' }, { configmaps: '0' });
    updates = 0;
  });
  afterEach(() => void vi.useRealTimers());
  const used = () => resourceListObject(stored.used);

  it('shares the update of writes that wait at the same time', async () => {
    const charges = charging();
    const results = Promise.allSettled(Array.from({ length: 30 }, () => charges.charge(create(), evaluator)));
    await vi.advanceTimersByTimeAsync(0);
    expect((await results).filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(used()).toEqual({ configmaps: '10' });
    expect(updates).toBe(2);
  });

  it('never exceeds a quota that several servers charge', async () => {
    const servers = [charging(), charging(), charging()];
    const results = Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => (servers[i % 3] as QuotaCharging).charge(create(), evaluator)),
    );
    await vi.advanceTimersByTimeAsync(9_000);
    expect((await results).filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(used()).toEqual({ configmaps: '10' });
  });

  it('gives up after repeated conflicts', async () => {
    const result = expect(charging(() => Promise.reject(conflict)).charge(create(), evaluator)).rejects.toBe(conflict);
    await vi.advanceTimersByTimeAsync(9_000);
    await result;
  });

  it('times out, and does not charge writes that timed out', async () => {
    let release = (): void => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const charges = charging(async (namespace, next) => {
      await blocked;
      await update(namespace, next);
    });
    const both = [charges.charge(create(), evaluator), charges.charge(create(), evaluator)];
    const message = 'Internal error occurred: resource quota evaluation timed out';
    const results = Promise.all(both.map((result) => expect(result).rejects.toThrow(message)));
    await vi.advanceTimersByTimeAsync(10_000);
    await results;
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(used()).toEqual({ configmaps: '1' });
  });
});
