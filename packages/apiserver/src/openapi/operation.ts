import type { GroupVersionKind } from '@tsukube/machinery';
import { mediaTypes } from '../http/negotiation.ts';
import type { Parameter } from './parameter.ts';

/** A path with what can be done there, before it takes the form of one or the other version of OpenAPI. */
export interface Path {
  readonly path: string;
  readonly operations: readonly Operation[];
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Besides 401, which every operation has. */
  readonly responses: readonly Response[];
}

export interface Body {
  readonly type: string;
  readonly required: boolean;
}

export interface Response {
  readonly code: number;
  /** The name of a type; absent where the answer is whatever the other end says. */
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
 * Parameters that all operations of a path have are told once, with the path; the rest with each operation. All are by name.
 * The same parameter is the same object everywhere.
 */
export function splitParameters({ operations }: Path): {
  readonly shared: readonly Parameter[];
  of(operation: Operation): readonly Parameter[];
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
