import type { JsonValue } from '@tsukube/machinery';

/** One step of a path, from values to values. */
export type Step =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'wildcard' }
  | { readonly is: 'recursive' }
  | {
      readonly is: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
      readonly single: boolean;
    }
  | { readonly is: 'union'; readonly paths: readonly (readonly Step[])[] }
  | { readonly is: 'filter'; readonly left: readonly Step[]; readonly operator: string; readonly right: readonly Step[] }
  | { readonly is: 'literal'; readonly value: JsonValue };
