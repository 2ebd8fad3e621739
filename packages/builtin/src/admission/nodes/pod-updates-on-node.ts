import type { AdmissionAttributes } from '@tsukube/apiserver';
import { objectIn, textIn } from '@tsukube/machinery';
import { isPodRequest } from '../common/forbidden.ts';

/** The node of a pod whose spec an update changes, through one of the subresources; empty for other requests. */
export function nodeOfUpdatedPod(attributes: AdmissionAttributes, subresources: readonly string[]): string {
  const { operation, object, oldObject } = attributes;
  if (operation !== 'UPDATE' || !object || !oldObject) return '';
  if (!subresources.some((subresource) => isPodRequest(attributes, subresource))) return '';
  // The generation changes with the spec.
  if (object.metadata.generation === oldObject.metadata.generation) return '';
  return textIn(objectIn(object, 'spec'), 'nodeName');
}
