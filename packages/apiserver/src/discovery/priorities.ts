/** Priority of a group among groups and of a version within its group; higher comes first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

interface GroupPriorities {
  readonly group: number;
  readonly versions: Readonly<Record<string, number>>;
}

/** Priorities of Kubernetes' own groups. */
const priorities: Readonly<Record<string, GroupPriorities>> = {
  'apiregistration.k8s.io': { group: 20001, versions: { v1: 18, v1beta1: 10 } },
  '': { group: 18000, versions: { v1: 1 } },
  apps: { group: 17800, versions: { v1: 15 } },
  'events.k8s.io': { group: 17750, versions: { v1: 15, v1beta1: 5 } },
  'authentication.k8s.io': { group: 17700, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'authorization.k8s.io': { group: 17600, versions: { v1: 15, v1beta1: 9 } },
  autoscaling: { group: 17500, versions: { v2: 30, v1: 15, v2beta1: 9, v2beta2: 1 } },
  batch: { group: 17400, versions: { v1: 15, v1beta1: 9 } },
  'certificates.k8s.io': { group: 17300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'networking.k8s.io': { group: 17200, versions: { v1: 15, v1beta1: 9 } },
  policy: { group: 17100, versions: { v1: 15, v1beta1: 9 } },
  'rbac.authorization.k8s.io': { group: 17000, versions: { v1: 15, v1beta1: 12, v1alpha1: 9 } },
  'storage.k8s.io': { group: 16800, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'apiextensions.k8s.io': { group: 16700, versions: { v1: 15, v1beta1: 9 } },
  'admissionregistration.k8s.io': { group: 16700, versions: { v1: 15, v1beta1: 12, v1alpha1: 9 } },
  'scheduling.k8s.io': { group: 16600, versions: { v1: 15, v1beta1: 12, v1alpha1: 9 } },
  'coordination.k8s.io': { group: 16500, versions: { v1: 15, v1beta1: 13, v1alpha2: 12 } },
  'node.k8s.io': { group: 16300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'discovery.k8s.io': { group: 16200, versions: { v1: 15, v1beta1: 12 } },
  'resource.k8s.io': { group: 16200, versions: { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 } },
  'flowcontrol.apiserver.k8s.io': { group: 16100, versions: { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12, v1alpha1: 9 } },
  'internal.apiserver.k8s.io': { group: 16000, versions: { v1alpha1: 9 } },
  'storagemigration.k8s.io': { group: 15800, versions: { v1beta1: 9 } },
  // Removed from Kubernetes: ordered after all others, custom resources included.
  extensions: { group: 100, versions: { v1beta1: 1 } },
};

/** Priority of all custom resources, which are therefore ordered by name and version. */
const custom: Priority = { group: 1000, version: 100 };

export function priorityOf(group: string, version: string): Priority {
  const known = priorities[group];
  return { group: known?.group ?? custom.group, version: known?.versions[version] ?? custom.version };
}

export function compareGroups(a: string, b: string): number {
  const difference = priorityOf(b, '').group - priorityOf(a, '').group;
  return difference || (a < b ? -1 : Number(a > b));
}

export function compareVersionsOf(group: string): (a: string, b: string) => number {
  return (a, b) => priorityOf(group, b).version - priorityOf(group, a).version || compareVersions(a, b);
}

/** Orders versions: stable, beta, alpha, newest first; other names last, alphabetically. */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (!left || !right) return Number(!left) - Number(!right) || (a < b ? -1 : Number(a > b));
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parseVersion(text: string): { stability: number; major: number; minor: number } | undefined {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { stability: stage === undefined ? 2 : Number(stage === 'beta'), major: Number(major), minor: Number(minor ?? 0) };
}
