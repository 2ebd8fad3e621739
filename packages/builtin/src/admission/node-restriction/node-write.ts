import type { AdmissionAttributes, Authorizer } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';

/** A write by a node. */
export interface NodeWrite {
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly cluster: Cluster;
}

export interface Cluster {
  /** An object as it is now. The namespace is empty for kinds that have none. */
  find(group: string, resource: string, namespace: string, name: string): Promise<JsonObject | undefined>;
  readonly authorizer: Authorizer;
}

/** Fails with 404 in the words of a lister, which names a resource in the singular. */
export async function mustFind(
  { find }: Cluster,
  group: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<JsonObject> {
  const found = name === '' ? undefined : await find(group, resource, namespace, name);
  if (!found) throw StatusError.notFound({ group, resource: resource.slice(0, -1) }, name);
  return found;
}
