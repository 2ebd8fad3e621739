import { decodeObject, followObjects, type ObjectListener } from '@tsukube/apiserver';
import { type JsonObject, objectIn, textIn } from '@tsukube/machinery';
import type { FindRegistry } from '../rbac/authorizer/index.ts';
import { type NodeRelations, type Target, target } from './node-relations.ts';
import { podReferences } from './object-references.ts';
import { volumeReferences } from './volume-references.ts';

/** Keeps relations to what pods, volumes and the like say. Resolves once all of them are known. */
export async function followRelations(relations: NodeRelations, findRegistry: FindRegistry): Promise<() => void> {
  const related = (kind: string, targets: (object: JsonObject, namespace: string, name: string) => readonly Target[]) =>
    followNodeName(relations, kind, targets);
  const followed: [string, string, ObjectListener][] = [
    ['', 'pods', related('pod', podReferences)],
    ['storage.k8s.io', 'volumeattachments', related('attachment', (_, __, name) => [target('attachment', '', name)])],
    ['resource.k8s.io', 'resourceslices', related('slice', (_, __, name) => [target('slice', '', name)])],
    ['', 'persistentvolumes', followVolumes(relations)],
  ];
  const stops = await Promise.all(
    followed.map(([group, plural, follower]) => {
      const registry = findRegistry(group, plural);
      return registry ? followObjects(registry, follower) : () => {};
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

/** Objects that name their node in spec.nodeName. */
function followNodeName(
  relations: NodeRelations,
  kind: string,
  targets: (object: JsonObject, namespace: string, name: string) => readonly Target[],
): ObjectListener {
  const sourceOf = (namespace: string, name: string) => `${kind} ${namespace}/${name}`;
  return {
    put(namespace, name, { value }) {
      const object = value.includes('"nodeName":') ? decodeObject(value) : {};
      const node = textIn(objectIn(object, 'spec'), 'nodeName');
      if (node === '') relations.forget(sourceOf(namespace, name));
      else relations.relate(sourceOf(namespace, name), node, targets(object, namespace, name));
    },
    remove: (namespace, name) => relations.forget(sourceOf(namespace, name)),
  };
}

function followVolumes(relations: NodeRelations): ObjectListener {
  return {
    put(_namespace, name, { value }) {
      const references = volumeReferences(decodeObject(value));
      if (references) relations.bindVolume(name, references.claim, references.secrets);
      else relations.forgetVolume(name);
    },
    remove: (_namespace, name) => relations.forgetVolume(name),
  };
}
