import { type Column, column, type Scalable, type Subresource } from '@tsukube/apiserver';
import {
  isDNS1123Label,
  type JsonObject,
  type LabelSelector,
  labelSelectorOf,
  metadataOf,
  numberIn,
  objectIn,
  path,
} from '@tsukube/machinery';
import { scaleOfKind } from '../common/scale.ts';
import { containerImages, containerNames } from '../core/pod-spec/columns.ts';
import { podTemplateWarnings } from '../core/pod-spec/warnings.ts';

/** The columns that show what pods are made of, for `-o wide`. `podSpec` finds it in the object. */
export function containerColumns(podSpec: (object: JsonObject) => JsonObject | undefined): readonly Column[] {
  return [
    {
      name: 'Containers',
      type: 'string',
      priority: 1,
      description: 'Names of each container in the template.',
      value: (object) => containerNames(podSpec(object)),
    },
    {
      name: 'Images',
      type: 'string',
      priority: 1,
      description: 'Images referenced by each container in the template.',
      value: (object) => containerImages(podSpec(object)),
    },
  ];
}

/** Where most workloads have the spec of their pods. */
export function templateSpec(object: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(objectIn(object, 'spec'), 'template'), 'spec');
}

export function selectorColumn(specType: string, spec: (object: JsonObject) => JsonObject | undefined): Column {
  return column(
    'Selector',
    { type: specType, field: 'selector' },
    (object) => {
      const selector = selectorIn(spec(object));
      return selector === undefined ? '<error>' : selector.toString() || '<none>';
    },
    { priority: 1 },
  );
}

/** Undefined if it is not valid. */
export function selectorIn(spec: JsonObject | undefined): LabelSelector | undefined {
  try {
    return labelSelectorOf(objectIn(spec, 'selector'));
  } catch {
    return undefined;
  }
}

/** A column that shows a number in the spec or the status. */
export function numberColumn(name: string, type: string, part: 'spec' | 'status', field: string): Column {
  return column(name, { type, field }, (object) => numberIn(objectIn(object, part), field), { type: 'integer' });
}

export function readyColumn(): Column {
  return {
    name: 'Ready',
    type: 'string',
    description: 'Number of the pod with ready state',
    value: (object) =>
      `${numberIn(objectIn(object, 'status'), 'readyReplicas')}/${numberIn(objectIn(object, 'spec'), 'replicas')}`,
  };
}

const workload: Scalable = {
  replicas: (object) => numberIn(objectIn(object, 'spec'), 'replicas'),
  withReplicas: (object, replicas) => ({ ...object, spec: { ...objectIn(object, 'spec'), replicas } }),
  currentReplicas: (object) => numberIn(objectIn(object, 'status'), 'replicas'),
  selector: (object) => selectorIn(objectIn(object, 'spec'))?.toString() ?? '',
};

/** The scale of a kind that has spec.replicas, spec.selector and status.replicas. */
export const workloadScale: Subresource = scaleOfKind(workload);

/** A name that pods and their hosts cannot have as it is. */
export function nameWarning(object: JsonObject): readonly string[] {
  const problems = isDNS1123Label(metadataOf(object).name as string);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

/** Whether an update is worth a comment. */
export function isNewGeneration(object: JsonObject, old: JsonObject | undefined): boolean {
  return old === undefined || metadataOf(object).generation !== metadataOf(old).generation;
}

export function templateWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  if (!isNewGeneration(object, old)) return [];
  return podTemplateWarnings(objectIn(objectIn(object, 'spec'), 'template'), path('spec', 'template'));
}

/** What deployments and replica sets are told. */
export function workloadWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  return [...(old === undefined ? nameWarning(object) : []), ...templateWarnings(object, old)];
}
