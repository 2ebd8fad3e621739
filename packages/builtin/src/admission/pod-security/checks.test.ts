import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { checkedPod } from './check.ts';
import { detailsText, violationsOf } from './evaluator.ts';
import type { LevelVersion, SecurityLevel } from './policy.ts';

const at = (text: string): LevelVersion => {
  const [level, version] = text.split(':') as [SecurityLevel, string];
  return { level, version };
};

/** A pod that passes all checks, except for what is given. */
function violations(policy: string, spec: JsonObject, annotations: JsonObject = {}): string {
  const context = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const { securityContext, containers = [], ...rest } = spec as { securityContext?: JsonObject; containers?: JsonObject[] };
  const complete = {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...securityContext },
    containers: containers.map((container) => ({
      ...container,
      securityContext: { ...context, ...(container.securityContext as JsonObject | undefined) },
    })),
    ...rest,
  };
  return detailsText(violationsOf(checkedPod({ annotations }, complete), at(policy)));
}

/** Containers `a` and `b` with these security contexts. */
const contexts = (...all: JsonObject[]) => ({
  containers: all.map((securityContext, i) => ({ name: 'ab'[i] as string, securityContext })),
});
const inPod = (securityContext: JsonObject) => ({ securityContext, ...contexts({}) });
const container = (fields: JsonObject) => ({ containers: [{ name: 'a', ...fields }] });
const volumes = (...sources: string[]) => ({ volumes: sources.map((source) => ({ name: source, [source]: {} })) });
const appArmor = 'container.apparmor.security.beta.kubernetes.io/';
const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const sysctl = (...names: string[]) => inPod({ sysctls: names.map((name) => ({ name, value: '1' })) });

type Row = readonly [policy: string, spec: JsonObject, expected: string, annotations?: JsonObject];

const named = ([policy, spec, expected, annotations]: Row) => ({ policy, spec, expected, annotations });

const allowed: readonly Row[] = [
  ['restricted:latest', contexts({}), ''],
  ['privileged:latest', { hostPID: true }, ''],
  ['baseline:latest', inPod({ appArmorProfile: { type: 'Localhost' } }), ''],
  ['baseline:latest', contexts({}), '', { [`${appArmor}a`]: 'localhost/x', [`${appArmor}b`]: '' }],
  ['baseline:latest', contexts({ capabilities: { add: ['CHOWN', 'SYS_CHROOT'] } }), ''],
  ['restricted:v1.22', contexts({ capabilities: { drop: ['X', 'ALL'], add: ['NET_BIND_SERVICE'] } }), ''],
  ['baseline:latest', container({ ports: [{ containerPort: 80, hostPort: 0 }] }), ''],
  ['baseline:latest', container({ livenessProbe: { httpGet: { host: '' } } }), ''],
  ['baseline:v1.33', container({ livenessProbe: { httpGet: { host: 'h' } } }), ''],
  ['baseline:v1.35', { ...contexts({ procMount: 'Unmasked' }), hostUsers: false }, ''],
  ['baseline:latest', contexts({ procMount: 'Default' }), ''],
  ['baseline:v1.31', contexts({ seLinuxOptions: { type: 'container_engine_t', level: 's0' } }), ''],
  ['baseline:v1.18', contexts({ seccompProfile: { type: 'Unconfined' } }), ''],
  ['baseline:v1.18', contexts({}), '', { [seccomp]: 'docker/default' }],
  ['baseline:v1.19', contexts({}), '', { [seccomp]: 'unconfined' }],
  ['baseline:v1.27', sysctl('net.ipv4.ip_local_reserved_ports'), ''],
  ['baseline:v1.29', sysctl('net.ipv4.tcp_fin_timeout'), ''],
  ['baseline:v1.32', sysctl('net.ipv4.tcp_rmem'), ''],
  ['restricted:v1.7', contexts({ allowPrivilegeEscalation: true }), ''],
  ['restricted:v1.25', { ...contexts({ allowPrivilegeEscalation: true, capabilities: {} }), os: { name: 'windows' } }, ''],
  ['restricted:v1.25', { securityContext: { seccompProfile: null }, ...contexts({}), os: { name: 'windows' } }, ''],
  ['restricted:latest', volumes('configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'projected', 'secret'), ''],
  ['restricted:latest', volumes('persistentVolumeClaim'), ''],
  ['restricted:latest', { ...inPod({ runAsNonRoot: false, runAsUser: 0 }), hostUsers: false }, ''],
  ['restricted:v1.22', inPod({ runAsUser: 0 }), ''],
  ['restricted:latest', { securityContext: { runAsNonRoot: null }, ...contexts({ runAsNonRoot: true }) }, ''],
  [
    'restricted:latest',
    { securityContext: { seccompProfile: null }, ...contexts({ seccompProfile: { type: 'Localhost' } }) },
    '',
  ],
];

const forbidden: readonly Row[] = [
  ['baseline:v1.0', { hostNetwork: true, hostIPC: true }, 'host namespaces (hostNetwork=true, hostIPC=true)'],
  [
    'baseline:latest',
    { ...inPod({ appArmorProfile: { type: 'Unconfined' } }), ...contexts({ appArmorProfile: { type: 'X' } }) },
    `forbidden AppArmor profiles (pod and container "a" and annotation must not set AppArmor profile type to "Unconfined", "X", "${appArmor}b="y"")`,
    { [`${appArmor}b`]: 'y' },
  ],
  [
    'restricted:v1.21',
    contexts({ capabilities: { add: ['SYS_TIME'] } }, { capabilities: { add: ['NET_RAW', 'CHOWN', 'SYS_TIME'] } }),
    'non-default capabilities (containers "a", "b" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
  ],
  [
    'restricted:v1.22',
    contexts({ capabilities: { add: ['CHOWN'], drop: ['ALL'] } }, { capabilities: null }),
    'unrestricted capabilities (container "b" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
  ['baseline:latest', volumes('hostPath'), 'hostPath volumes (volume "hostPath")'],
  [
    'restricted:latest',
    volumes('nfs', 'emptyDir', 'hostPath'),
    'restricted volume types (volumes "nfs", "hostPath" use restricted volume types "hostPath", "nfs")',
  ],
  ['restricted:latest', volumes('other'), 'restricted volume types (volume "other" uses restricted volume type "unknown")'],
  [
    'baseline:latest',
    container({ ports: [{ hostPort: 9000 }, { hostPort: 80 }, { hostPort: 80 }] }),
    'hostPort (container "a" uses hostPorts 80, 9000)',
  ],
  [
    'baseline:v1.34',
    container({ startupProbe: { tcpSocket: { host: 'b' } }, lifecycle: { postStart: { httpGet: { host: 'a' } } } }),
    'probe or lifecycle host (container "a" uses probe or lifecycle hosts "a", "b")',
  ],
  [
    'baseline:latest',
    { initContainers: [{ name: 'i', securityContext: { privileged: true } }], ...contexts({ privileged: true }) },
    'privileged (containers "i", "a" must not set securityContext.privileged=true)',
  ],
  [
    'baseline:v1.34',
    { ...contexts({ procMount: 'Unmasked' }), hostUsers: false },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    'restricted:v1.35',
    { ...contexts({ procMount: 'Unmasked' }), hostUsers: false },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    'baseline:v1.30',
    { ...inPod({ seLinuxOptions: { role: 'r', user: 'u' } }), ...contexts({ seLinuxOptions: { type: 'container_engine_t' } }) },
    'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "container_engine_t"; user may not be set; role may not be set)',
  ],
  [
    'restricted:v1.18',
    contexts({}),
    `seccompProfile (forbidden annotations container.${seccomp.replace('pod', 'a')}="x", ${seccomp}="y")`,
    { [seccomp]: 'y', [`container.${seccomp.replace('pod', 'a')}`]: 'x' },
  ],
  [
    'baseline:v1.19',
    inPod({ seccompProfile: { type: 'Unconfined' } }),
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'restricted:v1.24',
    {
      securityContext: { seccompProfile: null },
      ...contexts({ seccompProfile: { type: 'Localhost' } }, {}),
      os: { name: 'windows' },
    },
    'seccompProfile (pod or container "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'baseline:v1.28',
    sysctl('net.ipv4.tcp_fin_timeout', 'kernel.msgmax'),
    'forbidden sysctls (net.ipv4.tcp_fin_timeout, kernel.msgmax)',
  ],
  [
    'baseline:latest',
    { ...inPod({ windowsOptions: { hostProcess: true } }), ...contexts({ windowsOptions: { hostProcess: true } }) },
    'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  [
    'restricted:v1.8',
    { ...contexts({ allowPrivilegeEscalation: null }), ephemeralContainers: [{ name: 'e' }] },
    'allowPrivilegeEscalation != false (containers "a", "e" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  [
    'restricted:v1.34',
    { ...inPod({ runAsNonRoot: false, runAsUser: 0 }), hostUsers: false },
    'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod must not set runAsUser=0)',
  ],
  [
    'restricted:latest',
    { securityContext: { runAsNonRoot: null }, ...contexts({}, { runAsNonRoot: true }) },
    'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
  ],
  ['restricted:v1.99', contexts({ runAsUser: 0 }), 'runAsUser=0 (container "a" must not set runAsUser=0)'],
];

describe('checks of pod security', () => {
  it.each(allowed.map(named))('$policy allows $spec', ({ policy, spec, expected, annotations }) => {
    expect(violations(policy, spec, annotations)).toBe(expected);
  });

  it.each(forbidden.map(named))('$policy forbids: $expected', ({ policy, spec, expected, annotations }) => {
    expect(violations(policy, spec, annotations)).toBe(expected);
  });

  it('reports violations of the baseline level first', () => {
    const spec = { hostPID: true, containers: [{ name: 'a' }], volumes: [{ name: 'v', hostPath: {} }] };
    const reasons = (policy: string) => violationsOf(checkedPod(undefined, spec), at(policy)).map(({ reason }) => reason);
    expect(reasons('baseline:latest')).toEqual(['host namespaces', 'hostPath volumes']);
    expect(reasons('restricted:latest')).toEqual([
      'host namespaces',
      'allowPrivilegeEscalation != false',
      'unrestricted capabilities',
      'restricted volume types',
      'runAsNonRoot != true',
      'seccompProfile',
    ]);
    expect(reasons('restricted:v1.7')).toEqual(['host namespaces', 'restricted volume types', 'runAsNonRoot != true']);
  });
});
