import { type JsonObject, objectIn } from '@tsukube/machinery';
import { given } from './metrics-v1.ts';

/** Fills in what an autoscaler of the hub version leaves out. */
export function defaultAutoscaler(object: JsonObject): void {
  const spec = (object.spec ?? {}) as JsonObject;
  const metrics = spec.metrics as JsonObject[] | undefined;
  const behavior = objectIn(spec, 'behavior');
  object.spec = {
    scaleTargetRef: spec.scaleTargetRef ?? { kind: '', name: '' },
    minReplicas: spec.minReplicas ?? 1,
    maxReplicas: spec.maxReplicas ?? 0,
    metrics: metrics?.length ? metrics : [cpuUtilization()],
    ...given({ behavior: behavior && defaultBehavior(behavior) }),
  };
  const status = (object.status ?? {}) as JsonObject;
  status.desiredReplicas ??= 0;
  status.currentMetrics ??= null;
  object.status = status;
}

function cpuUtilization(): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
}

function defaultBehavior(behavior: JsonObject): JsonObject {
  return {
    scaleUp: defaultRules(objectIn(behavior, 'scaleUp'), {
      stabilizationWindowSeconds: 0,
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    }),
    // How long to wait before scaling down is a flag of the controller.
    scaleDown: defaultRules(objectIn(behavior, 'scaleDown'), {
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    }),
  };
}

function defaultRules(rules: JsonObject | undefined, defaults: JsonObject): JsonObject {
  return given({
    stabilizationWindowSeconds: rules?.stabilizationWindowSeconds ?? defaults.stabilizationWindowSeconds,
    selectPolicy: rules?.selectPolicy ?? 'Max',
    policies: rules?.policies ?? defaults.policies,
    tolerance: rules?.tolerance,
  });
}
