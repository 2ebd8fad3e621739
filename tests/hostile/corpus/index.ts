import { bodies } from './bodies.ts';
import { heads } from './heads.ts';
import { patches } from './patches.ts';
import { configMaps, get, type LargeRequest } from './request.ts';
import { schemas } from './schemas.ts';
import { values } from './values.ts';

export { targets } from './patches.ts';
export type { LargeRequest } from './request.ts';
export { keywordSchema } from './values.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** All requests; `customResources` is the path of the custom resources with `keywordSchema`. */
export function largeRequests(customResources: string): readonly LargeRequest[] {
  const tables = [
    get(
      'table',
      1,
      () => configMaps,
      () => table,
    ),
    get(
      'table of custom resources',
      1,
      () => customResources,
      () => table,
    ),
  ];
  return [...patches, ...heads, ...bodies, ...schemas, ...values(customResources), ...tables];
}
