import type { Resource } from '@tsukube/apiserver';
import { deepCopy, FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { daemonSet, deployment, replicaSet, statefulSet } from './index.ts';

function created(resource: Resource, spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  const object: JsonObject = {
    metadata: { name: 'w', namespace: 'n', ...metadata },
    spec: {
      selector: { matchLabels: { app: 'w' } },
      template: { metadata: { labels: { app: 'w' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      ...spec,
    },
  };
  resource.strategy.applyDefaults?.(object as KubeObject);
  resource.strategy.prepareForCreate?.(object as KubeObject, { name: 'u', groups: [] }, resource.hub);
  return object;
}

function texts(errors: FieldErrors): string[] {
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

function createProblems(resource: Resource, spec: JsonObject): string[] {
  const errors = new FieldErrors();
  resource.strategy.validateCreate?.(created(resource, spec) as KubeObject, errors, resource.hub);
  return texts(errors);
}

function updateProblems(resource: Resource, changes: JsonObject): string[] {
  const old = created(resource, {});
  const object = deepCopy(old) as JsonObject;
  Object.assign(object.spec as JsonObject, changes);
  const errors = new FieldErrors();
  resource.strategy.validateUpdate?.(object as KubeObject, old as KubeObject, errors, resource.hub);
  return texts(errors);
}

describe('defaults', () => {
  it.each<[Resource, JsonObject, JsonObject]>([
    [
      deployment,
      {},
      {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    ],
    [deployment, { replicas: 0, strategy: { type: 'Recreate' } }, { replicas: 0, strategy: { type: 'Recreate' } }],
    [
      statefulSet,
      {},
      {
        podManagementPolicy: 'OrderedReady',
        serviceName: '',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      },
    ],
    [statefulSet, { updateStrategy: { type: 'RollingUpdate' } }, { updateStrategy: { type: 'RollingUpdate' } }],
    [
      daemonSet,
      {},
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }, revisionHistoryLimit: 10 },
    ],
    [replicaSet, {}, { replicas: 1 }],
  ])('%#', (resource, spec, expected) => {
    expect(created(resource, spec).spec).toMatchObject(expected);
  });
});

const mismatch = 'spec.template.metadata.labels: Invalid value: {"app":"w"}: `selector` does not match template `labels`';

describe('validation on create', () => {
  it.each<[Resource, JsonObject, string[]]>([
    [deployment, {}, []],
    [deployment, { selector: null }, ['spec.selector: Required value', mismatch]],
    [deployment, { selector: {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for deployment']],
    [
      deployment,
      { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      deployment,
      { strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      deployment,
      { strategy: { type: 'Foo' } },
      ['spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"'],
    ],
    [
      deployment,
      { minReadySeconds: 600 },
      ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    ],
    [daemonSet, { selector: null }, [mismatch]],
    [
      daemonSet,
      { updateStrategy: { rollingUpdate: { maxSurge: 1 } } },
      ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
    ],
    [
      statefulSet,
      { podManagementPolicy: 'Foo' },
      ["spec.podManagementPolicy: Invalid value: \"Foo\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [replicaSet, { replicas: -1 }, ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  ])('%#', (resource, spec, expected) => {
    expect(createProblems(resource, spec)).toEqual(expected);
  });
});

const frozen =
  "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const both = { matchLabels: { app: 'w' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] };
const immutable = `spec.selector: Invalid value: ${JSON.stringify(both)}: field is immutable`;

describe('immutable fields', () => {
  it.each<[Resource, JsonObject, string[]]>([
    [statefulSet, { replicas: 3, minReadySeconds: 1, ordinals: { start: 2 }, revisionHistoryLimit: 1 }, []],
    [statefulSet, { serviceName: 'other' }, [frozen]],
    [statefulSet, { selector: both }, [frozen]],
    [deployment, { selector: both }, [immutable]],
    [replicaSet, { selector: both }, [immutable]],
    [daemonSet, { selector: both }, [immutable]],
  ])('%#', (resource, changes, expected) => {
    expect(updateProblems(resource, changes)).toEqual(expected);
  });
});

describe('generations', () => {
  it('of a deployment increases with changed annotations', () => {
    const old = created(deployment, {}, { generation: 3 });
    const object = deepCopy(old) as JsonObject;
    (object.metadata as JsonObject).annotations = { a: 'b' };
    deployment.strategy.prepareForUpdate?.(object as KubeObject, old as KubeObject, deployment.hub);
    expect((object.metadata as JsonObject).generation).toBe(4);
  });

  it('of a daemon set template increases with the template and ignores the client', () => {
    const annotation = 'deprecated.daemonset.template.generation';
    const old = created(daemonSet, {});
    const object = deepCopy(old) as JsonObject;
    (object.metadata as JsonObject).annotations = { [annotation]: '7' };
    daemonSet.strategy.prepareForUpdate?.(object as KubeObject, old as KubeObject, daemonSet.hub);
    expect((object.metadata as JsonObject).annotations).toEqual({ [annotation]: '1' });
    ((object.spec as JsonObject).template as JsonObject).metadata = { labels: { app: 'w', x: 'y' } };
    daemonSet.strategy.prepareForUpdate?.(object as KubeObject, old as KubeObject, daemonSet.hub);
    expect((object.metadata as JsonObject).annotations).toEqual({ [annotation]: '2' });
  });
});
