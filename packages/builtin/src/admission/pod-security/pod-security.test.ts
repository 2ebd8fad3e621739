import {
  type AdmissionAttributes,
  type ObjectCache,
  openFeed,
  type PluginMetrics,
  type Resource,
  WatchCache,
} from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { openMemory } from '@tsukube/storage/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { deployment } from '../../apps/deployment.ts';
import { namespace } from '../../core/namespace.ts';
import { pod } from '../../core/pod/pod.ts';
import type { PluginContext } from '../common/plugin.ts';
import { sampleAttributes } from '../common/sample-attributes.ts';
import { podSecurity } from './index.ts';

const prefix = 'pod-security.kubernetes.io/';
const configuration = {
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
  defaults: { enforce: 'baseline', audit: 'restricted', 'audit-version': 'v1.20', warn: 'baseline' },
  exemptions: { usernames: ['exempt-user'], namespaces: ['ex'], runtimeClasses: ['rc'] },
};
const hostPid = { hostPID: true, containers: [{ name: 'c', image: 'i' }] };
const audited =
  'would violate PodSecurity "restricted:v1.20": host namespaces (hostPID=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

const labelled = (labels: Readonly<Record<string, string>>) => ({
  metadata: { name: 'ns', labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [prefix + name, value])) },
});

/** The plugin with caches in memory, and its decision about a request. */
class Bench {
  readonly warnings: string[] = [];
  readonly annotations: Record<string, string> = {};
  readonly counts: Record<string, number> = {};
  /** Milliseconds that pass between two readings of the clock. */
  msPerReading = 0;
  #now = 0;
  readonly #caches = new Map<string, ObjectCache>();

  async open(): Promise<this> {
    const store = openMemory();
    const feed = await openFeed(store, '', () => {});
    for (const plural of ['namespaces', 'pods']) this.#caches.set(plural, new WatchCache(store, feed, { prefix: `/${plural}/` }));
    await this.store('namespaces', 'ns', { metadata: { name: 'ns' } });
    return this;
  }

  async store(plural: string, name: string, object: JsonObject): Promise<void> {
    const cache = this.#caches.get(plural) as ObjectCache;
    const key = cache.prefix + name;
    const found = await cache.get(key);
    const bytes = Buffer.from(JSON.stringify(object));
    await (found ? cache.update(key, bytes, found.revision) : cache.create(key, bytes));
  }

  plugin(configured: JsonObject | undefined): ReturnType<typeof podSecurity> {
    const metrics: PluginMetrics = {
      counter:
        ({ name }) =>
        (labels, value) => {
          const key = `${name.replace('pod_security_', '').replace('_total', '')} ${Object.values(labels).join(' ')}`.trim();
          if (value > 0) this.counts[key] = (this.counts[key] ?? 0) + value;
        },
      histogram: () => () => {},
    };
    const context: Pick<PluginContext, 'cacheOf' | 'configurationOf' | 'now' | 'metrics'> = {
      cacheOf: (_, plural) => this.#caches.get(plural),
      configurationOf: () => configured,
      now: () => (this.#now += this.msPerReading),
      metrics,
    };
    return podSecurity(context as PluginContext);
  }

  attributes(
    resource: Resource,
    object: JsonObject,
    oldObject?: JsonObject,
    more: Partial<AdmissionAttributes> = {},
  ): AdmissionAttributes {
    const told = {
      warn: (text: string) => void this.warnings.push(text),
      annotate: (key: string, value: string) => {
        this.annotations[key.replace(prefix, '')] = value;
      },
    };
    return { ...sampleAttributes(resource, object, oldObject, told), ...more };
  }
}

let bench: Bench;
beforeEach(async () => {
  bench = await new Bench().open();
});

const template = { spec: { template: { spec: hostPid } } };

// Decisions, audit annotations and metrics of a kube-apiserver with the same configuration.
describe('PodSecurity with a configuration', () => {
  const admit = async (attributes: AdmissionAttributes) => bench.plugin(configuration).validate?.(attributes);

  it('denies and audits', async () => {
    await expect(admit(bench.attributes(pod, { spec: hostPid }))).rejects.toThrow(
      'pods "x" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
    expect(bench.warnings).toEqual([]);
    expect(bench.annotations).toEqual({ 'enforce-policy': 'baseline:latest', 'audit-violations': audited });
    expect(bench.counts).toEqual({
      'evaluations deny baseline latest enforce create pod': 1,
      'evaluations deny restricted v1.20 audit create pod': 1,
    });
  });

  it('only warns about workloads', async () => {
    await admit(bench.attributes(deployment, template));
    expect(bench.warnings).toEqual(['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)']);
    expect(bench.annotations).toEqual({ 'audit-violations': audited });
    expect(bench.counts).toEqual({
      'evaluations deny restricted v1.20 audit create controller': 1,
      'evaluations deny baseline latest warn create controller': 1,
    });
  });

  it.each<[string, Resource, JsonObject, Partial<AdmissionAttributes>, string]>([
    ['namespace', pod, { spec: hostPid }, { namespace: 'ex' }, 'pod'],
    ['user', pod, { spec: hostPid }, { user: { name: 'exempt-user', groups: [] } }, 'pod'],
    ['user', deployment, template, { user: { name: 'exempt-user', groups: [] } }, 'controller'],
    ['runtimeClass', pod, { spec: { ...hostPid, runtimeClassName: 'rc' } }, {}, 'pod'],
  ])('exempts a %s', async (reason, resource, object, more, kind) => {
    await admit(bench.attributes(resource, object, undefined, more));
    expect(bench.annotations).toEqual({ exempt: reason });
    expect(bench.counts).toEqual({ [`exemptions create ${kind}`]: 1 });
  });

  it('labels versions of the future in metrics', async () => {
    await bench.store('namespaces', 'ns', labelled({ 'enforce-version': 'v1.37', 'audit-version': 'v1.36' }));
    await expect(admit(bench.attributes(pod, { spec: hostPid }))).rejects.toThrow('"baseline:v1.37"');
    expect(bench.counts).toEqual({
      'evaluations deny baseline future enforce create pod': 1,
      'evaluations deny restricted v1.36 audit create pod': 1,
    });
  });

  it('allows pods in privileged namespaces', async () => {
    await bench.store('namespaces', 'ns', labelled({ enforce: 'privileged', audit: 'privileged', warn: 'privileged' }));
    await admit(bench.attributes(pod, { spec: hostPid }));
    await admit(bench.attributes(deployment, template));
    expect(bench.annotations).toEqual({ 'enforce-policy': 'privileged:latest' });
    expect(bench.counts).toEqual({ 'evaluations allow privileged latest enforce create pod': 1 });
  });

  it.each<[JsonObject, JsonObject | undefined, string | undefined]>([
    [{ metadata: { name: 'ex' } }, undefined, undefined],
    [
      labelled({ enforce: 'restricted', 'warn-version': 'v1.2', audit: 'privileged' }),
      undefined,
      'enforce=restricted:latest, warn=restricted:v1.2',
    ],
    [
      labelled({ enforce: 'restricted', 'warn-version': 'v1.2', audit: 'baseline', 'enforce-version': 'v1.3' }),
      labelled({ enforce: 'restricted', 'warn-version': 'v1.2', audit: 'privileged' }),
      'enforce=restricted:v1.3, audit=baseline:v1.20, warn=restricted:v1.2',
    ],
    [labelled({ enforce: 'baseline' }), labelled({ enforce: 'privileged' }), undefined],
  ])('warns of ignored labels of exempt namespaces: %j', async (object, oldObject, ignored) => {
    await admit(bench.attributes(namespace, object, oldObject, { name: 'ex', namespace: 'ex' }));
    const warning = `namespace "ex" is exempt from Pod Security, and the policy (${ignored}) will be ignored`;
    expect(bench.warnings).toEqual(ignored === undefined ? [] : [warning]);
  });
});

describe('PodSecurity without a configuration', () => {
  const admit = async (attributes: AdmissionAttributes) => bench.plugin(undefined).validate?.(attributes);

  it('is synchronous once namespaces are cached', async () => {
    const plugin = bench.plugin(undefined);
    await plugin.validate?.(bench.attributes(pod, { spec: hostPid }));
    expect(plugin.validate?.(bench.attributes(pod, { spec: hostPid }))).toBeUndefined();
  });

  it('follows the labels of a namespace', async () => {
    const plugin = bench.plugin(undefined);
    const create = async () => plugin.validate?.(bench.attributes(pod, { spec: hostPid }));
    await create();
    await bench.store('namespaces', 'ns', labelled({ enforce: 'baseline' }));
    await expect(create()).rejects.toThrow('violates PodSecurity "baseline:latest"');
    await bench.store('namespaces', 'ns', labelled({ enforce: 'privileged' }));
    await create();
  });

  it('enforces the restricted level if labels are invalid', async () => {
    await bench.store('namespaces', 'ns', labelled({ enforce: 'x', audit: 'y' }));
    await expect(admit(bench.attributes(pod, { spec: hostPid }))).rejects.toThrow('violates PodSecurity "restricted:latest"');
    const problem = (mode: string, value: string) =>
      `metadata.labels[${prefix}${mode}]: Invalid value: "${value}": must be one of privileged, baseline, restricted`;
    const error = `Failed to parse policy: [${problem('enforce', 'x')}, ${problem('audit', 'y')}]`;
    expect(bench.annotations).toEqual({ error, 'enforce-policy': 'restricted:latest' });
    expect(bench.counts).toMatchObject({ 'errors false create pod': 1 });
  });

  it('lets invalid labels of a namespace stay', async () => {
    await admit(bench.attributes(namespace, labelled({ enforce: 'x', a: 'b' }), labelled({ enforce: 'x' })));
    const worse = admit(bench.attributes(namespace, labelled({ enforce: 'y' }), labelled({ enforce: 'x' })));
    await expect(worse).rejects.toThrow('Invalid value: "y"');
  });

  it('fails without the namespace', async () => {
    const elsewhere = { namespace: 'gone' };
    await expect(admit(bench.attributes(pod, { spec: hostPid }, undefined, elsewhere))).rejects.toMatchObject({
      status: { code: 500, message: 'Internal error occurred: failed to lookup namespace "gone"' },
    });
    expect(bench.annotations).toEqual({
      error: 'Internal error occurred: failed to lookup namespace "gone": namespaces "gone" not found',
    });
    await admit(bench.attributes(deployment, template, undefined, elsewhere));
    expect(bench.annotations).toEqual({ error: 'failed to lookup namespace "gone": namespaces "gone" not found' });
    expect(bench.counts).toEqual({ 'errors true create pod': 1, 'errors true create controller': 1 });
  });

  const image = (name: string) => ({ ...hostPid, containers: [{ name: 'c', image: name }] });
  const debug = (name: string) => ({ ...hostPid, ephemeralContainers: [{ name: 'e', image: name }] });
  it.each<[string, JsonObject, JsonObject, string, boolean]>([
    ['labels', { spec: hostPid, metadata: { name: 'x', labels: { a: 'b' } } }, { spec: hostPid }, '', true],
    ['an image', { spec: image('j') }, { spec: hostPid }, '', false],
    ['a new ephemeral container', { spec: debug('i') }, { spec: hostPid }, 'ephemeralcontainers', false],
    ['the image of an ephemeral container', { spec: debug('j') }, { spec: debug('i') }, 'ephemeralcontainers', false],
    ['no ephemeral container', { spec: debug('i') }, { spec: debug('i') }, 'ephemeralcontainers', true],
    ['resources', { spec: hostPid }, { spec: hostPid }, 'resize', true],
    ['the status', { spec: image('j') }, { spec: hostPid }, 'status', true],
  ])('evaluates updates of %s', async (_, object, oldObject, subresource, isAllowed) => {
    await bench.store('namespaces', 'ns', labelled({ enforce: 'baseline' }));
    const update = admit(bench.attributes(pod, object, oldObject, { subresource }));
    if (isAllowed) await update;
    else await expect(update).rejects.toThrow('host namespaces (hostPID=true)');
  });
});

describe('warnings about existing pods', () => {
  const owned = (uid: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }] });
  const storePod = (name: string, metadata: JsonObject = {}, spec: JsonObject = hostPid) =>
    bench.store('pods', `ns/${name}`, { metadata: { name, ...metadata }, spec });
  const tighten = async (configured: JsonObject | undefined = undefined) => {
    const attributes = bench.attributes(namespace, labelled({ enforce: 'baseline' }), labelled({ enforce: 'privileged' }));
    await bench.plugin(configured).validate?.({ ...attributes, name: 'ns' });
    return bench.warnings;
  };
  const violating = 'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"';

  it('group pods and leave out exempt runtime classes', async () => {
    for (const name of ['c', 'b', 'a']) await storePod(name);
    await storePod('other', {}, { hostNetwork: true, volumes: [{ name: 'v', hostPath: { path: '/' } }] });
    await storePod('exempt', {}, { ...hostPid, runtimeClassName: 'rc' });
    await bench.store('pods', 'ns2/pod', { metadata: { name: 'pod' }, spec: hostPid });
    const groups = ['a (and 2 other pods): host namespaces', 'other: host namespaces, hostPath volumes'];
    expect(await tighten(configuration)).toEqual([violating, ...groups]);
  });

  it('check at most 3000 pods, the first of each controller before others', async () => {
    for (let i = 0; i < 2999; i++) await storePod(`a${i}`, owned('u'), {});
    await storePod('b', owned('v'));
    await storePod('c');
    const incomplete = 'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods';
    expect(await tighten()).toEqual([incomplete, violating, 'b (and 1 other pod): host namespaces']);
  });

  it('stop after a second', async () => {
    for (let i = 0; i < 1200; i++) await storePod(`a${i}`);
    bench.msPerReading = 1;
    const [incomplete] = await tighten();
    expect(incomplete).toBe('new PodSecurity enforce level only checked against the first 1000 of 1200 existing pods');
  });
});
