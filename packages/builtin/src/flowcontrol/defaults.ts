import { deepEqual, type FieldErrors, type JsonObject, metadataOf, objectIn, path, textIn } from '@tsukube/machinery';
import { shownFlowSchemaSpec, shownLevelSpec } from './shown-spec.ts';

/** The default objects. Mandatory ones are always restored, suggested ones unless an administrator changed them. */
export interface FlowControlDefaults {
  readonly mandatory: FlowObjects;
  readonly suggested: FlowObjects;
}

export interface FlowObjects {
  readonly levels: readonly JsonObject[];
  readonly schemas: readonly JsonObject[];
}

/** Whether the server updates the spec to its defaults. */
export const autoUpdateAnnotation = 'apf.kubernetes.io/autoupdate-spec';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';

function level(name: string, spec: JsonObject): JsonObject {
  const metadata = { name, annotations: { [autoUpdateAnnotation]: 'true' } };
  return { kind: 'PriorityLevelConfiguration', apiVersion, metadata, spec };
}

function queued(name: string, shares: number, lendablePercent: number, queues: number, handSize: number): JsonObject {
  return level(name, {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
      lendablePercent,
    },
  });
}

type Distinguisher = 'ByUser' | 'ByNamespace' | undefined;

function schema(name: string, to: string, precedence: number, by: Distinguisher, rule: JsonObject): JsonObject {
  const metadata = { name, annotations: { [autoUpdateAnnotation]: 'true' } };
  const spec: JsonObject = { priorityLevelConfiguration: { name: to }, matchingPrecedence: precedence };
  if (by !== undefined) spec.distinguisherMethod = { type: by };
  return { kind: 'FlowSchema', apiVersion, metadata, spec: { ...spec, rules: [rule] } };
}

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const groups = (...names: string[]): JsonObject[] => names.map((name) => ({ kind: 'Group', group: { name } }));
const users = (...names: string[]): JsonObject[] => names.map((name) => ({ kind: 'User', user: { name } }));
const systemAccounts: JsonObject[] = [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } }];
const everyone = groups('system:unauthenticated', 'system:authenticated');

/** The defaults of Kubernetes. */
export const flowControlDefaults: FlowControlDefaults = {
  mandatory: {
    levels: [
      level('catch-all', {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
      }),
      level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
    ],
    schemas: [
      schema('exempt', 'exempt', 1, undefined, { subjects: groups('system:masters'), ...everything }),
      schema('catch-all', 'catch-all', 10_000, 'ByUser', { subjects: everyone, ...everything }),
    ],
  },
  suggested: {
    levels: [
      queued('system', 30, 33, 64, 6),
      queued('node-high', 40, 25, 64, 6),
      queued('leader-election', 10, 0, 16, 4),
      queued('workload-high', 40, 50, 128, 6),
      queued('workload-low', 100, 90, 128, 6),
      queued('global-default', 20, 50, 128, 6),
    ],
    schemas: [
      schema('system-nodes', 'system', 500, 'ByUser', { subjects: groups('system:nodes'), ...everything }),
      schema('system-node-high', 'node-high', 400, 'ByUser', {
        subjects: groups('system:nodes'),
        resourceRules: [
          { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
          { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
        ],
      }),
      schema('probes', 'exempt', 2, undefined, {
        subjects: everyone,
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
      }),
      schema('system-leader-election', 'leader-election', 100, 'ByUser', {
        subjects: [...users('system:kube-controller-manager', 'system:kube-scheduler'), ...systemAccounts],
        resourceRules: [
          { verbs: ['get', 'create', 'update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
        ],
      }),
      schema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', {
        subjects: users('system:kube-controller-manager'),
        ...everything,
      }),
      schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', { subjects: users('system:kube-scheduler'), ...everything }),
      schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', { subjects: systemAccounts, ...everything }),
      schema('service-accounts', 'workload-low', 9000, 'ByUser', { subjects: groups('system:serviceaccounts'), ...everything }),
      schema('global-default', 'global-default', 9900, 'ByUser', { subjects: everyone, ...everything }),
    ],
  },
};

const specsOf = (objects: readonly JsonObject[]) =>
  new Map(objects.map((object) => [textIn(metadataOf(object), 'name'), objectIn(object, 'spec')]));

/** The specs of the mandatory objects, which cannot be changed. */
const flowSchemas = specsOf(flowControlDefaults.mandatory.schemas);
const levels = specsOf(flowControlDefaults.mandatory.levels);

export function validateMandatorySchema(object: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const name = textIn(metadataOf(object), 'name');
  const fixed = flowSchemas.get(name);
  if (fixed && !deepEqual(fixed, spec))
    errors.invalid(path('spec'), shownFlowSchemaSpec(spec), `spec of '${name}' must equal the fixed value`);
}

export function validateMandatoryLevel(object: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const name = textIn(metadataOf(object), 'name');
  const { exempt: _, ...rest } = spec;
  if (name === 'exempt' && !deepEqual(rest, { type: 'Exempt' }))
    errors.invalid(
      path('spec'),
      shownLevelSpec(spec),
      `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`,
    );
  if (name === 'catch-all' && !deepEqual(spec, levels.get(name)))
    errors.invalid(path('spec'), shownLevelSpec(spec), `spec of '${name}' must equal the fixed value`);
}
