import { FieldErrors, type JsonObject, type KubeObject, unifiedDiff } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { mergeTolerations } from './admission/pods/merge-tolerations.ts';
import { withClaimedVolumes } from './apps/claim-templates.ts';
import { fillConditionTimes, validateCsrConditions } from './certificates/csr-conditions.ts';
import { validateEphemeralContainersUpdate } from './core/pod/ephemeral-containers.ts';
import { preparePodStatus, validatePodStatusUpdate } from './core/pod/status.ts';
import { validatePod, validatePodUpdate } from './core/pod/validation.ts';
import { overlapWarnings } from './core/pod-spec/overlap-warnings.ts';
import { validateQuotaUpdate } from './core/resource-quota.ts';
import { endpoints } from './core/service/endpoints.ts';
import { serviceWarnings } from './core/service/service.ts';
import { released } from './core/service/service-allocator.ts';
import { validateResourceClaimStatus } from './resource/resource-claim-status.ts';

const many = 30_000;
/** Each takes about 50 ms; with quadratic complexity, many seconds. */
const timeLimitMs = 2_000;

function listOf<T>(make: (i: number) => T, count = many): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

const named = (count = many) => listOf((i) => ({ name: `n${i}` }), count);
const reversed = (count = many) => named(count).reverse();
const objectOf = (spec: JsonObject, status: JsonObject = {}, metadata: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'd', ...metadata },
  spec,
  status,
});
const errors = () => new FieldErrors();

function updateStatus(now: JsonObject, old: JsonObject, spec: JsonObject = {}): void {
  const pod = objectOf(spec, now);
  preparePodStatus(pod, objectOf(spec, old));
  validatePodStatusUpdate(pod, objectOf(spec, old), errors());
}

const conditions = (count = many) => listOf((i) => ({ type: `example.com/t${i}`, status: 'True' }), count);
const addresses = () => listOf((i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }));
const ended = () => reversed().map((each) => ({ ...each, state: { terminated: { exitCode: 1 } } }));
const csr = (list: JsonObject[]): JsonObject => ({ metadata: { name: 'c' }, spec: {}, status: { conditions: list } });
const claim = (reserved: JsonObject[]): JsonObject => ({
  metadata: { name: 'c', deletionTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
  status: { allocation: {}, reservedFor: reserved },
});
const reservations = () => listOf((i) => ({ resource: 'pods', name: 'p', uid: `u${i}` }));
const tolerations = () => listOf((i) => ({ key: 'k', operator: 'Equal', value: `v${i}`, effect: 'NoSchedule' }));
const configVolume = (pathOf: (i: number) => string): JsonObject[] => [
  { name: 'v', configMap: { name: 'c', items: listOf((i) => ({ key: 'k', path: pathOf(i) })) } },
];

describe('validation takes linear time in the length of lists', () => {
  it.each<[string, () => unknown]>([
    ['conditions of a pod', () => updateStatus({ conditions: conditions() }, { conditions: conditions().reverse() })],
    ['addresses of a pod', () => updateStatus({ podIPs: addresses() }, { podIPs: addresses().reverse() })],
    [
      'container statuses',
      () => updateStatus({ containerStatuses: named() }, { containerStatuses: ended() }, { containers: named() }),
    ],
    [
      'allocated resources',
      () => {
        const containerStatuses = named().map((each) => ({ ...each, allocatedResourcesStatus: [{ name: 'r' }] }));
        updateStatus({ containerStatuses }, {}, { containers: reversed() });
      },
    ],
    [
      'claims of allocated resources',
      () => {
        const claims = reversed().map((each) => ({ ...each, resources: { claims: reversed(10) } }));
        const allocatedResourcesStatus = listOf((i) => ({ name: `claim:n${i}` }));
        const containers = [{ name: 'c', resources: { claims: reversed() } }, ...claims.slice(0, 1)];
        updateStatus({ containerStatuses: [{ name: 'c', allocatedResourcesStatus }] }, {}, { containers });
      },
    ],
    [
      'mappings of extended resources',
      () => {
        const requestMappings = listOf((i) => ({ containerName: `n${i}`, resourceName: 'r', requestName: 'q' }));
        updateStatus({ extendedResourceClaimStatus: { requestMappings } }, {}, { containers: reversed() });
      },
    ],
    [
      'tolerations of an update',
      () =>
        validatePodUpdate(objectOf({ tolerations: tolerations() }), objectOf({ tolerations: tolerations().reverse() }), errors()),
    ],
    [
      'ephemeral containers',
      () =>
        validateEphemeralContainersUpdate(
          objectOf({ ephemeralContainers: named() }),
          objectOf({ ephemeralContainers: reversed() }),
          errors(),
        ),
    ],
    [
      'mounts and devices',
      () => {
        const volumeMounts = listOf((i) => ({ name: `m${i}`, mountPath: `/m${i}` }));
        const volumeDevices = listOf((i) => ({ name: `d${i}`, devicePath: `/d${i}` }));
        validatePod(objectOf({ containers: [{ name: 'c', volumeMounts, volumeDevices }] }), errors());
      },
    ],
    [
      'AppArmor annotations',
      () => {
        const annotations = Object.fromEntries(listOf((i) => [`container.apparmor.security.beta.kubernetes.io/n${i}`, '']));
        validatePod(objectOf({ containers: reversed() }, {}, { annotations }), errors());
      },
    ],
    [
      'claims of ephemeral volumes',
      () => {
        const ephemeral = listOf((i) => ({ name: `e${i}`, ephemeral: {} }));
        const claims = listOf((i) => ({ name: `c${i}`, persistentVolumeClaim: { claimName: `x${i}` } }));
        validatePod(objectOf({ volumes: [...ephemeral, ...claims] }), errors());
      },
    ],
    [
      'topology spread',
      () =>
        validatePod(
          objectOf({ topologySpreadConstraints: listOf((i) => ({ topologyKey: `k${i}`, whenUnsatisfiable: 'x' })) }),
          errors(),
        ),
    ],
    [
      'match label keys',
      () => {
        const keys = listOf((i) => `k${i}`);
        const term = {
          topologyKey: 'k',
          labelSelector: {},
          matchLabelKeys: keys,
          mismatchLabelKeys: keys.map((key) => `x${key}`),
        };
        const required = 'requiredDuringSchedulingIgnoredDuringExecution';
        validatePod(objectOf({ affinity: { podAffinity: { [required]: [term] } } }), errors());
      },
    ],
    ['paths of a volume', () => expect(overlapWarnings(configVolume((i) => `p${i}`))).toEqual([])],
    ['paths that all overlap', () => expect(overlapWarnings(configVolume(() => 'p')).length).toBeLessThanOrEqual(1_000)],
    ['paths of many steps', () => overlapWarnings(configVolume((i) => `${'a/'.repeat(50)}${i}`))],
    ['tolerations of a runtime class', () => expect(mergeTolerations(tolerations(), tolerations())).toHaveLength(many)],
    ['conditions of a CSR', () => fillConditionTimes(csr(conditions()), csr(conditions().reverse()), 0)],
    [
      'conditions without a type',
      () => validateCsrConditions(csr(listOf(() => ({ status: 'True' }))), csr(conditions()), errors()),
    ],
    ['reservations', () => validateResourceClaimStatus(claim(reservations()), claim(reservations().reverse()), errors())],
    [
      'scopes of a quota',
      () => validateQuotaUpdate(objectOf({ scopes: listOf(String) }), objectOf({ scopes: listOf(String).reverse() }), errors()),
    ],
    ['node ports', () => released({ addresses: [], ports: listOf((i) => i) }, { addresses: [], ports: listOf((i) => many + i) })],
    [
      'claim templates',
      () =>
        withClaimedVolumes(
          { volumes: reversed() },
          named().map((metadata) => ({ metadata })),
        ),
    ],
    ['external addresses', () => serviceWarnings(objectOf({ externalIPs: listOf(() => '::0001', 130_000) }))],
    [
      'endpoints in a table',
      () => {
        const column = endpoints.versions[0]?.columns?.find(({ name }) => name === 'Endpoints');
        const object = { subsets: [{ addresses: addresses(), ports: listOf((i) => ({ port: i })) }] };
        expect(column?.value(object as JsonObject as KubeObject)).toMatch(/^10\.0\.0\.0:0,.* \+ 899999997 more\.\.\.$/);
      },
    ],
    [
      'texts that differ everywhere',
      () => {
        const lines = (shift: number) => listOf((i) => `line ${(i * 7 + shift) % 200}`, 20_000);
        unifiedDiff(lines(0), lines(3));
      },
    ],
  ])('%s', { timeout: 300_000 }, (_name, run) => {
    const began = process.cpuUsage();
    run();
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(timeLimitMs);
  });
});
