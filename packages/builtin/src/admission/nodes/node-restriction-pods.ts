import { forbiddenByAdmission } from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, mapIn, metadataOf, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { apiReference } from '../pods/pod-references.ts';
import { mustFind, type NodeWrite } from './node-restriction-nodes.ts';

const mirror = 'kubernetes.io/config.mirror';

/** Nodes may create mirror pods, and update the status of, delete and evict the pods that run on them. */
export function restrictPods(write: NodeWrite): void | Promise<void> {
  const { subresource } = write.attributes;
  if (subresource === '') return restrictPod(write);
  if (subresource === 'status') return restrictStatus(write);
  if (subresource === 'eviction') return restrictEviction(write);
  const reason = `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
  throw forbiddenByAdmission(write.attributes, reason);
}

function restrictPod({ node, attributes, cluster }: NodeWrite): void | Promise<void> {
  const { operation } = attributes;
  if (operation === 'CREATE') return restrictCreation({ node, attributes, cluster });
  if (operation === 'DELETE') return restrictDeletion({ node, attributes, cluster });
  const reason = `unexpected operation ${goQuote(operation)}, node ${goQuote(node)} can only create and delete mirror pods`;
  throw forbiddenByAdmission(attributes, reason);
}

async function restrictDeletion({ node, attributes, cluster }: NodeWrite): Promise<void> {
  const { namespace, name } = attributes;
  const pod = await mustFind(cluster, '', 'pods', namespace, name);
  if (nodeNameOf(pod) !== node)
    throw forbiddenByAdmission(attributes, `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`);
}

async function restrictCreation({ node, attributes, cluster }: NodeWrite): Promise<void> {
  const pod = attributes.object as JsonObject;
  const problem = mirrorProblem(pod, node) ?? ownerProblem(pod, node);
  if (problem !== undefined) throw forbiddenByAdmission(attributes, problem);
  const owner = objectsIn(metadataOf(pod), 'ownerReferences')[0];
  const uid = textIn(metadataOf(await mustFind(cluster, '', 'nodes', '', node)), 'uid');
  if (textIn(owner, 'uid') !== uid)
    throw forbiddenByAdmission(attributes, `node ${node} UID mismatch: expected ${textIn(owner, 'uid')} got ${uid}`);
  const reference = apiReference(objectIn(pod, 'spec') ?? {});
  if (!reference) return;
  if ('problem' in reference)
    throw forbiddenByAdmission(attributes, `error checking mirror pod for API references: ${reference.problem}`);
  throw forbiddenByAdmission(attributes, `node ${goQuote(node)} can not create pods that reference ${reference.resource}`);
}

function mirrorProblem(pod: JsonObject, node: string): string | undefined {
  if (!Object.hasOwn(mapIn(metadataOf(pod), 'annotations'), mirror))
    return `pod does not have ${goQuote(mirror)} annotation, node ${goQuote(node)} can only create mirror pods`;
  return nodeNameOf(pod) === node ? undefined : `node ${goQuote(node)} can only create pods with spec.nodeName set to itself`;
}

function ownerProblem(pod: JsonObject, node: string): string | undefined {
  const [owner, another] = objectsIn(metadataOf(pod), 'ownerReferences');
  const can = `node ${goQuote(node)} can only create pods with`;
  if (another) return `${can} a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `${can} an owner reference set to itself`;
  if (owner.controller !== true) return `${can} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node ${goQuote(node)} must not set blockOwnerDeletion on an owner reference`;
  return undefined;
}

function restrictStatus({ node, attributes }: NodeWrite): void {
  const { operation, object, oldObject } = attributes;
  if (operation !== 'UPDATE' || !object || !oldObject)
    throw forbiddenByAdmission(attributes, `unexpected operation ${goQuote(operation)}`);
  const who = `node ${goQuote(node)}`;
  if (nodeNameOf(oldObject) !== node)
    throw forbiddenByAdmission(attributes, `${who} can only update pod status for pods with spec.nodeName set to itself`);
  if (!deepEqual(labelsOf(object), labelsOf(oldObject)))
    throw forbiddenByAdmission(attributes, `${who} cannot update labels through pod status`);
  const [status, old] = [objectIn(object, 'status'), objectIn(oldObject, 'status')];
  if (!deepEqual(status?.resourceClaimStatuses ?? [], old?.resourceClaimStatuses ?? []))
    throw forbiddenByAdmission(attributes, `${who} cannot update resource claim statues`);
  if (!deepEqual(status?.extendedResourceClaimStatus ?? null, old?.extendedResourceClaimStatus ?? null))
    throw forbiddenByAdmission(attributes, `${who} cannot update extended resource claim status`);
}

async function restrictEviction({ node, attributes, cluster }: NodeWrite): Promise<void> {
  const { operation, namespace, name } = attributes;
  if (operation !== 'CREATE') throw forbiddenByAdmission(attributes, `unexpected operation ${operation}`);
  const pod = await mustFind(cluster, '', 'pods', namespace, name);
  if (nodeNameOf(pod) !== node)
    throw forbiddenByAdmission(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`);
}

function nodeNameOf(pod: JsonObject): string {
  return textIn(objectIn(pod, 'spec'), 'nodeName');
}

function labelsOf(pod: JsonObject): JsonObject {
  return { ...mapIn(metadataOf(pod), 'labels') };
}
