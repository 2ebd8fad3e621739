import type { AdmissionPlugin, Authorizer, ObjectCache } from '@tsukube/apiserver';
import { certificateAdmission } from './certificates.ts';
import { defaultTolerationSeconds, type TolerationSeconds } from './default-toleration-seconds.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeRestriction } from './node-restriction.ts';
import { priority } from './priority.ts';
import { runtimeClassAdmission } from './runtime-class.ts';
import { serviceAccountAdmission } from './service-account.ts';

export type { TolerationSeconds };

/** The built-in plugins in Kubernetes' order. `objectsOf` returns undefined if a resource is not served. */
export function builtinAdmission(
  objectsOf: (group: string, resource: string) => ObjectCache | undefined,
  authorizer: Authorizer,
  seconds: TolerationSeconds,
): readonly AdmissionPlugin[] {
  const namespaces = objectsOf('', 'namespaces');
  return [
    ...(namespaces ? [namespaceLifecycle(namespaces)] : []),
    serviceAccountAdmission(objectsOf('', 'serviceaccounts')),
    nodeRestriction(objectsOf, authorizer),
    priority(objectsOf('scheduling.k8s.io', 'priorityclasses')),
    defaultTolerationSeconds(seconds),
    runtimeClassAdmission(objectsOf('node.k8s.io', 'runtimeclasses')),
    ...certificateAdmission(authorizer),
  ];
}
