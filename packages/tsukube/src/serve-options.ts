/** Every flag of `tsukube serve` in camel case. The build writes this type out in full into index.d.mts and index.d.cts. */
export type { GivenOptions as ServeOptions } from '@tsukube/server';
