import type { coreV1 } from '@tsukube/api/kinds';
import type { ApiObject } from '@tsukube/client';
import { canonicalJson, type JsonObject, type JsonValue } from '@tsukube/machinery';
import type { WithoutTypeMeta } from '../cluster/cluster.ts';
import { copyOf, pruned } from '../cluster/values.ts';
import { controllerRef } from './ownership.ts';

/** A pod of a template, with its owner as controller and a generated name. */
export function podFromTemplate(template: coreV1.PodTemplateSpec | undefined, owner: ApiObject): WithoutTypeMeta<coreV1.Pod> {
  const { labels, annotations, finalizers } = copyOf(template?.metadata ?? {});
  const metadata = {
    generateName: `${owner.metadata.name}-`,
    namespace: owner.metadata.namespace,
    labels,
    annotations,
    finalizers,
    ownerReferences: [controllerRef(owner)],
  };
  return pruned({ metadata, spec: copyOf(template?.spec) }) as WithoutTypeMeta<coreV1.Pod>;
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The value of the label pod-template-hash and the suffix of names. Unlike kube-controller-manager, which hashes a dump of Go
 * structs, it hashes JSON; both only need the same template to have the same hash.
 */
export function templateHash(value: unknown, collisionCount?: number): string {
  let hash = 0x811c9dc5;
  const text =
    canonicalJson(pruned(value) as JsonValue as JsonObject) + (collisionCount === undefined ? '' : `#${collisionCount}`);
  for (const byte of Buffer.from(text)) {
    hash ^= byte;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}
