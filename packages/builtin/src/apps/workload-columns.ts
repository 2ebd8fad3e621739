import type { Column } from '@tsukube/apiserver';
import { type JsonObject, type LabelSelector, labelSelectorOf, numberIn, objectIn } from '@tsukube/machinery';
import { column } from '../common/columns.ts';
import { containerImages, containerNames } from '../core/pod-spec/index.ts';

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
