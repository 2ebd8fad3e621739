import type { GroupVersionKind } from '@tsukube/machinery';
import { mediaTypes } from '../http/negotiation.ts';
import type { Parameter } from './parameter.ts';

/** A path and its operations, independent of the OpenAPI version. */
export interface Path {
  readonly path: string;
  readonly operations: readonly OpenApiOperation[];
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export interface OpenApiOperation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** In addition to 401, which every operation has. */
  readonly responses: readonly Response[];
}

export interface RequestBody {
  readonly type: string;
  readonly required: boolean;
}

export interface Response {
  readonly code: number;
  /** Type name; absent for proxied responses. */
  readonly type?: string;
}

export const reasons: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

export const anyMedia: readonly string[] = ['*/*'];
export const objectMedia: readonly string[] = mediaTypes;
export const watchMedia: readonly string[] = [
  ...mediaTypes,
  ...mediaTypes.filter((type) => type !== 'application/yaml').map((type) => `${type};stream=watch`),
];
export const patchMedia: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/**
 * Separates the parameters that all operations of a path share from those of single operations, both sorted by name. Equal
 * parameters are the same object.
 */
export function splitParameters({ operations }: Path): {
  readonly shared: readonly Parameter[];
  of(operation: OpenApiOperation): readonly Parameter[];
} {
  const [first, ...others] = operations;
  const shared = (first?.parameters ?? []).filter((parameter) =>
    others.every(({ parameters }) => parameters.includes(parameter)),
  );
  return {
    shared: [...shared].sort(byName),
    of: ({ parameters }) => parameters.filter((parameter) => !shared.includes(parameter)).sort(byName),
  };
}

const byName = (a: Parameter, b: Parameter) => (a.name < b.name ? -1 : Number(a.name > b.name));

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

export const bearerToken = { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' };

/** Types that operations refer to directly. */
export function referencedTypes(paths: readonly Path[]): readonly string[] {
  return paths.flatMap(({ operations }) => operations.flatMap(typesOfOperation));
}

function typesOfOperation({ body, responses }: OpenApiOperation): readonly string[] {
  return [body?.type, ...responses.map(({ type }) => type)].filter((type) => type !== undefined);
}

export function byPath(a: Path, b: Path): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

/** Tag and operation ID infix of a group version. */
export interface OperationScope {
  /** rbacAuthorization_v1 */
  readonly tag: string;
  /** RbacAuthorizationV1 */
  readonly infix: string;
}

export function operationScope(group: string, version = ''): OperationScope {
  const name = camelCase((group === '' ? 'core' : group).replace(/\.k8s\.io$/, ''));
  return { tag: version === '' ? name : `${name}_${version}`, infix: upperFirst(name) + upperFirst(version) };
}

function camelCase(text: string): string {
  return text.replace(/[^A-Za-z0-9_]+(.?)/g, (_, letter: string) => letter.toUpperCase());
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
