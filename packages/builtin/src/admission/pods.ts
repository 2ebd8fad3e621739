import type { AdmissionPlugin, WatchCache } from '@tsukube/apiserver';
import { defaultTolerationSeconds, type TolerationSeconds } from './default-toleration-seconds.ts';
import { priority } from './priority.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccountAdmission } from './service-account.ts';

/** What is done to every pod, in Kubernetes' order. Gives the objects of a resource, or undefined if it is not served. */
export function podAdmission(
  objectsOf: (group: string, resource: string) => WatchCache | undefined,
  seconds: TolerationSeconds,
): readonly AdmissionPlugin[] {
  return [
    serviceAccountAdmission(objectsOf('', 'serviceaccounts')),
    priority(objectsOf('scheduling.k8s.io', 'priorityclasses')),
    defaultTolerationSeconds(seconds),
    runtimeClass(objectsOf('node.k8s.io', 'runtimeclasses')),
  ];
}
