import type { AdmissionAttributes, AdmissionPlugin } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { event } from '../core/event.ts';
import { pod } from '../core/pod/pod.ts';
import { persistentVolumeClaim } from '../core/volume/persistent-volume-claim.ts';
import { sampleAttributes } from './common/sample-attributes.ts';
import { eventRateLimit } from './event-rate-limit.ts';
import { alwaysPullImages } from './images/always-pull-images.ts';
import { imagePolicyConfiguration } from './images/image-policy-configuration.ts';
import { admissionPlugins, alwaysAdmit, alwaysDeny } from './index.ts';
import { podTolerationRestriction } from './pods/pod-toleration-restriction.ts';
import { persistentVolumeClaimResize } from './storage/persistent-volume-claim-resize.ts';

const validate =
  ({ validate: act }: AdmissionPlugin, attributes: AdmissionAttributes) =>
  () =>
    act?.(attributes);

describe('admission plugins', () => {
  it('are those of kube-apiserver 1.36, in its order; those in parentheses are off by default', () => {
    const names = admissionPlugins.map(({ name, isDefault }) => (isDefault ? name : `(${name})`));
    expect(names.join(' ')).toBe(
      [
        '(AlwaysAdmit) (NamespaceAutoProvision) NamespaceLifecycle (NamespaceExists) (LimitPodHardAntiAffinityTopology) LimitRanger',
        'ServiceAccount (NodeRestriction) TaintNodesByCondition (AlwaysPullImages) (ImagePolicyWebhook) PodSecurity (PodNodeSelector)',
        'Priority DefaultTolerationSeconds (PodTolerationRestriction) (EventRateLimit) (ExtendedResourceToleration)',
        'DefaultStorageClass StorageObjectInUseProtection PodGroupProtection (OwnerReferencesPermissionEnforcement)',
        'PersistentVolumeClaimResize RuntimeClass CertificateApproval CertificateSigning ClusterTrustBundleAttest',
        'CertificateSubjectRestriction DefaultIngressClass (DenyServiceExternalIPs) PodTopologyLabels PodGroupWorkloadExists',
        'NodeDeclaredFeatureValidator JobValidation PodResizeValidator MutatingAdmissionPolicy MutatingAdmissionWebhook',
        'ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota (AlwaysDeny)',
      ].join(' '),
    );
  });

  it('deny all writes, or none', () => {
    const attributes = sampleAttributes(pod, { spec: {} });
    const message = 'pods "x" is forbidden: admission control is denying all modifications';
    expect(() => alwaysDeny.mutate?.(attributes)).toThrow(message);
    expect(validate(alwaysDeny, attributes)).toThrow(message);
    expect([alwaysAdmit.mutate, alwaysAdmit.validate]).toEqual([undefined, undefined]);
  });

  it('require that images are pulled', () => {
    const spec = { containers: [{ image: 'i', imagePullPolicy: 'Never' }], initContainers: [{ image: 'i' }] };
    const message =
      '[pods "x" is forbidden: spec.initContainers[0].imagePullPolicy: Unsupported value: "": supported values: "Always", pods "x" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"]';
    expect(validate(alwaysPullImages, sampleAttributes(pod, { spec }))).toThrow(message);
    expect(validate(alwaysPullImages, sampleAttributes(pod, { spec }, { spec }))).not.toThrow();
  });

  it('expand only bound claims', () => {
    const claim = (storage: string, phase: string) => ({ spec: { resources: { requests: { storage } } }, status: { phase } });
    const grow = (phase: string) => sampleAttributes(persistentVolumeClaim, claim('2Gi', phase), claim('1Gi', phase));
    const plugin = persistentVolumeClaimResize(undefined);
    expect(validate(plugin, grow('Pending'))).toThrow('Only bound persistent volume claims can be expanded');
    expect(validate(plugin, grow('Bound'))).toThrow('only dynamically provisioned pvc can be resized');
  });
});

describe('EventRateLimit', () => {
  const configuration = (...limits: JsonObject[]) => ({
    kind: 'Configuration',
    apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
    limits,
  });

  it('refills its buckets', () => {
    let now = 0;
    const plugin = eventRateLimit(configuration({ type: 'User', qps: 2, burst: 1 }), () => now);
    const write = validate(plugin, sampleAttributes(event(1), {}));
    expect(write).not.toThrow();
    expect(write).toThrow('Too many requests: limit reached on type User for key u');
    now += 500;
    expect(write).not.toThrow();
  });

  // Messages of kube-apiserver 1.36.4, which lists supported values in random order.
  it.each([
    [undefined, 'limits: Invalid value: []: must not be empty'],
    [configuration(), 'limits: Invalid value: []: must not be empty'],
    [
      configuration({ type: 'Foo', qps: 0, burst: -1, cacheSize: -1 }),
      '[limits[0].type: Unsupported value: "Foo": supported values: "Namespace", "Server", "SourceAndObject", "User", limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
    ],
    [{ ...configuration(), apiVersion: 'x/v1' }, 'no kind "Configuration" is registered for version "x/v1"'],
    [{}, "Object 'Kind' is missing in '{}'"],
  ])('refuses the configuration %j', (given, message) => {
    expect(() => eventRateLimit(given, () => 0)).toThrow(message);
  });
});

describe('configurations of plugins', () => {
  it('of PodTolerationRestriction', () => {
    const configuration = {
      kind: 'Configuration',
      apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
      default: [{ key: 'a', operator: 'Foo' }],
      whitelist: [{ operator: 'Exists', value: 'x' }],
    };
    const message =
      'invalid config: [podtolerationrestriction.default[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists" podtolerationrestriction.whitelist[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\']';
    expect(() => podTolerationRestriction(undefined, configuration)).toThrow(message);
  });

  it.each([
    [{}, { retryBackoff: 500, allowTtl: 300_000, denyTtl: 30_000, defaultAllow: false }],
    [
      { retryBackoff: 10, allowTTL: -1, denyTTL: 2, defaultAllow: true },
      { retryBackoff: 10, allowTtl: 0, denyTtl: 2000, defaultAllow: true },
    ],
  ])('of ImagePolicyWebhook: %j', (imagePolicy, expected) => {
    expect(imagePolicyConfiguration({ imagePolicy })).toEqual({ kubeConfigFile: '', ...expected });
  });

  it('of ImagePolicyWebhook are required', () => {
    expect(() => imagePolicyConfiguration(undefined)).toThrow('no config specified');
  });
});
