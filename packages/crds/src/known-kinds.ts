import type { Column, Schema } from '@tsukube/apiserver';
import type { TypeCatalogue } from '@tsukube/machinery';

/** What every kind has in common with the built-in ones, which this package knows nothing else of. */
export interface KnownKinds {
  /** Has ObjectMeta and what it leads to. */
  readonly types: TypeCatalogue;
  readonly nameColumn: Column;
  readonly ageColumn: Column;
  /** autoscaling/v1 Scale. */
  readonly scale: Schema;
}
