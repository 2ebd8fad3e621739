import { type Column, column, type Scalable, type Subresource } from '@tsukube/apiserver';
import {
  GoIntError,
  goQuote,
  isDNS1123Label,
  type JsonObject,
  type KubeObject,
  type LabelSelector,
  labelSelectorOf,
  numberIn,
  objectIn,
  parseGoInt64,
  path,
  StatusError,
} from '@tsukube/machinery';
import { scaleOfKind } from '../common/scale.ts';
import { containerImages, containerNames } from '../core/pod-spec/columns.ts';
import { podTemplateWarnings } from '../core/pod-spec/warnings.ts';

/** Wide columns with the containers and images of the pod spec. */
export function containerColumns(podSpec: (object: KubeObject) => JsonObject | undefined): readonly Column[] {
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

/** spec.template.spec */
export function templateSpec(object: KubeObject): JsonObject | undefined {
  return objectIn(objectIn(objectIn(object, 'spec'), 'template'), 'spec');
}

export function selectorColumn(specType: string, spec: (object: KubeObject) => JsonObject | undefined): Column {
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

/** spec.selector; undefined if it is invalid. */
export function selectorIn(spec: JsonObject | undefined): LabelSelector | undefined {
  try {
    return labelSelectorOf(objectIn(spec, 'selector'));
  } catch {
    return undefined;
  }
}

/** A column with a number of the spec or status. */
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

/** Scale subresource of kinds with spec.replicas, spec.selector and status.replicas. */
export const workloadScale: Subresource = scaleOfKind(workload);

/** Warns of names that are not DNS labels and so no valid hostnames. */
export function nameWarning(object: KubeObject): readonly string[] {
  const problems = isDNS1123Label(object.metadata.name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

/** Warnings are only given on create and when the generation changes. */
export function isNewGeneration(object: KubeObject, old: KubeObject | undefined): boolean {
  return old === undefined || object.metadata.generation !== old.metadata.generation;
}

export function templateWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  if (!isNewGeneration(object, old)) return [];
  return podTemplateWarnings(objectIn(objectIn(object, 'spec'), 'template'), path('spec', 'template'));
}

/** Warnings of Deployments and ReplicaSets. */
export function workloadWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  return [...(old === undefined ? nameWarning(object) : []), ...templateWarnings(object, old)];
}

/** An int64 annotation that was a field of an earlier version. Throws the 400 of a field with the wrong type. */
export function parseInt64Annotation(text: string, kind: string, context = ''): bigint {
  try {
    return parseGoInt64(text);
  } catch (error) {
    if (!(error instanceof GoIntError)) throw error;
    const reason = `${context}strconv.ParseInt: parsing ${goQuote(text)}: ${error.message}`;
    throw StatusError.badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${reason}`);
  }
}
