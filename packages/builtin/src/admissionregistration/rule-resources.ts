import type { FieldErrors, FieldPath } from '@tsukube/machinery';

/** Resources and subresources, pods/log, where either part may be a star: nothing may be said twice. */
export function validateResources(resources: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (resources.length === 0) errors.required(at);
  validateSubresources(resources, at, errors);
  if (resources.length > 1 && resources.includes('*/*'))
    errors.invalid(at, [...resources], "if '*/*' is present, must not specify other resources");
  // Only the last one counts, which is how Kubernetes does it.
  const lastWhole = resources.findLast((resource) => resource !== '' && !resource.includes('/'));
  if (resources.includes('*') && lastWhole !== '*')
    errors.invalid(at, [...resources], "if '*' is present, must not specify other resources without subresources");
}

function validateSubresources(resources: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const [coveredResources, coveredSubresources] = [new Set<string>(), new Set<string>()];
  for (const [i, text] of resources.entries()) {
    if (text === '') errors.required(at.index(i));
    const slash = text.indexOf('/');
    if (slash < 0) continue;
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    const covered = (by: string) => errors.invalid(at.index(i), text, `if '${by}' is present, must not specify ${text}`);
    if (coveredResources.has(resource)) covered(`${resource}/*`);
    if (coveredSubresources.has(subresource)) covered(`*/${subresource}`);
    if (subresource === '*') coveredResources.add(resource);
    if (resource === '*') coveredSubresources.add(subresource);
  }
}
