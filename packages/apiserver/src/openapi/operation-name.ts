import { upperFirst } from './upper-first.ts';

/** Where an operation belongs: its tag, and what its id has after the verb. */
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
