import type { SizeEstimator } from '../contract.ts';
import type { DeclaredType } from './declared-type.ts';

/** How large what a path leads to is, by what was declared of the variable that every path begins with. */
export function declaredSizes(root: DeclaredType): SizeEstimator {
  return (path) => {
    let type: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      type = next(type, step);
      if (type === undefined) return undefined;
    }
    return { min: 0, max: type.maxElements };
  };
}

function next(type: DeclaredType, step: string): DeclaredType | undefined {
  if (step === '@items' || step === '@values') return type.element;
  return step === '@keys' ? type.key : type.field?.(step);
}
