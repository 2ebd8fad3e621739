import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  ensureObject,
  fillIn,
  type JsonObject,
  type JsonValue,
  mapIn,
  metadataOf,
  objectIn,
  path,
  setKey,
} from '@tsukube/machinery';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { statusSubresource } from '../common/status-subresource.ts';
import { formatLabels } from '../core/pod-spec/columns.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import { podTemplateWarnings } from '../core/pod-spec/warnings.ts';
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from './daemon-set-validation.ts';
import { parseAnnotation } from './number-annotation.ts';
import { containerColumns, numberColumn, selectorColumn, templateSpec } from './workload.ts';

const specType = 'io.k8s.api.apps.v1.DaemonSetSpec';
const statusType = 'io.k8s.api.apps.v1.DaemonSetStatus';

const v1: ServedVersion = {
  group: 'apps',
  version: 'v1',
  schema: schemaOf('apps.v1.DaemonSet'),
  columns: [
    nameColumn,
    numberColumn('Desired', statusType, 'status', 'desiredNumberScheduled'),
    numberColumn('Current', statusType, 'status', 'currentNumberScheduled'),
    numberColumn('Ready', statusType, 'status', 'numberReady'),
    numberColumn('Up-to-date', statusType, 'status', 'updatedNumberScheduled'),
    numberColumn('Available', statusType, 'status', 'numberAvailable'),
    column('Node Selector', { type: 'io.k8s.api.core.v1.PodSpec', field: 'nodeSelector' }, (object) =>
      formatLabels(mapIn(templateSpec(object), 'nodeSelector')),
    ),
    ageColumn,
    ...containerColumns(templateSpec),
    selectorColumn(specType, (object) => objectIn(object, 'spec')),
  ],
};

export const daemonSet: Resource = {
  names: {
    plural: 'daemonsets',
    singular: 'daemonset',
    kind: 'DaemonSet',
    listKind: 'DaemonSetList',
    shortNames: ['ds'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/daemonsets',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateDaemonSetStatus, {
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
        countTemplate(object, old);
      },
    }),
  },
  strategy: {
    generation: true,
    applyDefaults,
    prepareForCreate(object) {
      object.status = zeroValue('apps.v1.DaemonSetStatus');
      startCounting(object);
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      countTemplate(object, old);
    },
    validateCreate: validateDaemonSet,
    validateUpdate: validateDaemonSetUpdate,
    warnings(object, old) {
      if (old && !isTemplateChanged(object, old)) return [];
      return podTemplateWarnings(objectIn(objectIn(object, 'spec'), 'template'), path('spec', 'template'));
    },
  },
};

function applyDefaults(object: JsonObject): void {
  defaultTemplateGeneration(object);
  const spec = ensureObject(object, 'spec');
  spec.selector ??= null;
  defaultPodTemplate(ensureObject(spec, 'template'));
  const strategy = ensureObject(spec, 'updateStrategy');
  fillIn(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') ensureObject(strategy, 'rollingUpdate').maxUnavailable ??= 1;
  const rollingUpdate = objectIn(strategy, 'rollingUpdate');
  if (rollingUpdate) fillZeros(rollingUpdate);
  spec.revisionHistoryLimit ??= 10;
  object.status = { ...zeroValue('apps.v1.DaemonSetStatus'), ...objectIn(object, 'status') };
}

function fillZeros(rollingUpdate: JsonObject): void {
  rollingUpdate.maxUnavailable ??= 0;
  rollingUpdate.maxSurge ??= 0;
}

/** How often the template of a daemon set has changed. It was a field once; now it is an annotation, and still counted. */
const annotation = 'deprecated.daemonset.template.generation';

/** Fails with 400 if a client says something that is no number. Without the annotation it is zero, and that is owned. */
export function defaultTemplateGeneration(object: JsonObject): void {
  if (generationOf(object) === undefined) setGeneration(object, 0n);
}

export function startCounting(object: JsonObject): void {
  setGeneration(object, atLeastOne(generationOf(object) ?? 0n));
}

function atLeastOne(generation: bigint): bigint {
  return generation < 1n ? 1n : generation;
}

/** What a client says of it does not count. */
export function countTemplate(object: JsonObject, old: JsonObject): void {
  const before = generationOf(old) ?? 0n;
  setGeneration(object, isTemplateChanged(object, old) ? before + 1n : before);
}

export function isTemplateChanged(object: JsonObject, old: JsonObject): boolean {
  return !deepEqual(templateOf(object), templateOf(old));
}

function templateOf(object: JsonObject): JsonValue {
  return objectIn(objectIn(object, 'spec'), 'template') ?? null;
}

function generationOf(object: JsonObject): bigint | undefined {
  const text = mapIn(metadataOf(object), 'annotations')[annotation];
  if (text === undefined) return undefined;
  return parseAnnotation(text, 'DaemonSet');
}

function setGeneration(object: JsonObject, generation: bigint): void {
  const metadata = metadataOf(object);
  const annotations = new Map<string, string>(Object.entries(mapIn(metadata, 'annotations')));
  annotations.set(annotation, String(generation));
  const sorted: Record<string, string> = {};
  for (const key of [...annotations.keys()].sort()) setKey(sorted, key, annotations.get(key) as string);
  metadata.annotations = sorted;
}
