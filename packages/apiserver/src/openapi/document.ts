import type { Operation, Path } from './operation.ts';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

export const bearerToken = { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' };

/** The types that the operations themselves name. */
export function typesOf(paths: readonly Path[]): readonly string[] {
  return paths.flatMap(({ operations }) => operations.flatMap(typesOfOperation));
}

function typesOfOperation({ body, responses }: Operation): readonly string[] {
  return [body?.type, ...responses.map(({ type }) => type)].filter((type) => type !== undefined);
}

export function byPath(a: Path, b: Path): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}
