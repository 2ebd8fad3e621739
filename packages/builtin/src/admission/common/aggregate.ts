/** Joins error messages as Kubernetes' Aggregate does. */
export function aggregated(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}
