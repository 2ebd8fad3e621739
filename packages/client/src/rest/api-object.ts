import type { BuiltinResources, metaV1 } from '@tsukube/api/kinds';

/** An object of the Kubernetes API. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: metaV1.ObjectMeta;
}

/** An object of a resource whose type is not declared. */
export type UntypedObject = ApiObject & Record<string, unknown>;

export interface ObjectList<T> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: metaV1.ListMeta;
  readonly items: T[];
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: ApiObject };

/** Built-in resources whose objects have metadata: `apps/v1/deployments`, `v1/pods`. */
export type BuiltinName = {
  [Name in keyof BuiltinResources]: BuiltinResources[Name] extends ApiObject ? Name : never;
}[keyof BuiltinResources];

/** The type of a subresource: `SubresourceOf<'apps/v1/deployments', 'scale', Deployment>` is Scale. */
export type SubresourceOf<Name extends string, Sub extends string, T> = `${Name}/${Sub}` extends keyof BuiltinResources
  ? BuiltinResources[`${Name}/${Sub}`]
  : Sub extends 'status'
    ? T
    : UntypedObject;

/** A key that identifies an object among those of its resource: `namespace/name`, or `name` without a namespace. */
export function keyOf({ metadata: { namespace, name = '' } }: ApiObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

export interface ObjectName {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The inverse of `keyOf`. */
export function splitKey(key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash === -1 ? { namespace: undefined, name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
