import type { Resource } from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, objectIn, objectsIn } from '@tsukube/machinery';
import { containerFields } from './defaults.ts';

/** Path of the pod spec in each kind that has one. */
const podSpecs: Readonly<Record<string, readonly string[]>> = {
  pods: ['spec'],
  podtemplates: ['template', 'spec'],
  replicationcontrollers: ['spec', 'template', 'spec'],
  'deployments.apps': ['spec', 'template', 'spec'],
  'replicasets.apps': ['spec', 'template', 'spec'],
  'statefulsets.apps': ['spec', 'template', 'spec'],
  'daemonsets.apps': ['spec', 'template', 'spec'],
  'jobs.batch': ['spec', 'template', 'spec'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

/** Drops pod fields of disabled feature gates. As in kube-apiserver the strategy does it, after field ownership was recorded. */
export function withoutGatedFields(resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => {
    const { names, hub, strategy } = resource;
    const path = podSpecs[hub.group === '' ? names.plural : `${names.plural}.${hub.group}`];
    if (!path) return resource;
    const drop = (object: KubeObject) => {
      const spec = path.reduce<JsonObject | undefined>((value, field) => objectIn(value, field), object);
      if (spec) dropGatedFields(spec);
    };
    return {
      ...resource,
      strategy: {
        ...strategy,
        prepareForCreate(object, user, version, warn) {
          drop(object);
          strategy.prepareForCreate?.(object, user, version, warn);
        },
        prepareForUpdate(object, old, version) {
          drop(object);
          strategy.prepareForUpdate?.(object, old, version);
        },
      },
    };
  });
}

/** ContainerStopSignals, GenericWorkload, ClusterTrustBundleProjection and PodCertificateRequest. */
function dropGatedFields(spec: JsonObject): void {
  delete spec.schedulingGroup;
  for (const field of containerFields) for (const container of objectsIn(spec, field)) dropStopSignal(container);
  for (const volume of objectsIn(spec, 'volumes')) {
    for (const source of objectsIn(objectIn(volume, 'projected'), 'sources')) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
}

function dropStopSignal(container: JsonObject): void {
  const lifecycle = objectIn(container, 'lifecycle');
  if (lifecycle?.stopSignal === undefined) return;
  delete lifecycle.stopSignal;
  if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
}
