import { type AdmissionAttributes, type AdmissionPlugin, forbiddenByAdmission, type ObjectCache } from '@tsukube/apiserver';
import {
  addQuantities,
  compareQuantities,
  goQuote,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  parseQuantity,
  type Quantity,
  quantityValue,
  StatusError,
  textIn,
  zeroQuantity,
} from '@tsukube/machinery';
import { effectiveResources } from '../../core/pod-spec/pod-resources.ts';
import { peekObject, whenFresh } from '../common/cached-objects.ts';
import { isPodRequest } from '../common/plugin.ts';

const osLabel = 'kubernetes.io/os';

/** PodResizeValidator: a resized pod must fit its node, which must run Linux. */
export function podResizeValidator(nodes: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    validate(attributes) {
      const name = nodeOfUpdatedPod(attributes, ['resize']);
      if (name !== '') return whenFresh(nodes, () => checkNode(attributes, name, peekObject(nodes, name)));
    },
  };
}

function checkNode(attributes: AdmissionAttributes, name: string, node: KubeObject | undefined): void {
  if (!node) throw forbiddenByAdmission(attributes, `node ${goQuote(name)} not found`);
  const os = mapIn(node.metadata, 'labels')[osLabel] ?? 'linux';
  if (os !== 'linux') {
    const reason = `pod resize is only supported on linux nodes, node ${goQuote(name)} is ${goQuote(os)}`;
    throw withCause(forbiddenByAdmission(attributes, reason), 'UnsupportedPlatform');
  }
  const excess = excessOf(objectIn(attributes.object, 'spec') ?? {}, mapIn(objectIn(node, 'status'), 'allocatable'));
  if (excess.length === 0) return;
  const reason = `node didn't have enough allocatable resources: ${excess.join('; ')}`;
  throw withCause(forbiddenByAdmission(attributes, reason), 'NodeCapacity');
}

function withCause({ status }: StatusError, reason: string): StatusError {
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}

/** Requests that exceed the allocatable resources. CPU is shown in thousandths. */
function excessOf(spec: JsonObject, allocatable: Readonly<Record<string, string>>): readonly string[] {
  const requests = effectiveResources(spec, 'requests');
  const overhead = mapIn(spec, 'overhead');
  return (['cpu', 'memory'] as const).flatMap((name) => {
    const requested = addQuantities(requests.get(name) ?? zeroQuantity, amountIn(overhead, name));
    const available = amountIn(allocatable, name);
    if (compareQuantities(requested, available) <= 0) return [];
    const exponent = name === 'cpu' ? -3 : 0;
    const [requestedText, availableText] = [requested, available].map((amount) => quantityValue(amount, exponent));
    return [`${name}, requested: ${requestedText}, allocatable: ${availableText}`];
  });
}

function amountIn(list: Readonly<Record<string, string>>, name: string): Quantity {
  const text = list[name];
  return text === undefined ? zeroQuantity : parseQuantity(text);
}

/** The node of a pod whose spec an update changes, through one of the subresources; empty for other requests. */
export function nodeOfUpdatedPod(attributes: AdmissionAttributes, subresources: readonly string[]): string {
  const { operation, object, oldObject } = attributes;
  if (operation !== 'UPDATE' || !object || !oldObject) return '';
  if (!subresources.some((subresource) => isPodRequest(attributes, subresource))) return '';
  // The generation changes with the spec.
  if (object.metadata.generation === oldObject.metadata.generation) return '';
  return textIn(objectIn(object, 'spec'), 'nodeName');
}
