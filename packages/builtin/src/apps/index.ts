import type { Resource } from '@tsukube/apiserver';
import { controllerRevision } from './controller-revision.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { replicaSet } from './replica-set.ts';
import { statefulSet } from './stateful-set.ts';

export { controllerRevision, daemonSet, deployment, replicaSet, statefulSet };

export const appsResources: readonly Resource[] = [controllerRevision, daemonSet, deployment, replicaSet, statefulSet];
