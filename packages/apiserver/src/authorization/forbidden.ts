import { goQuote, StatusError } from '@tsukube/machinery';
import type { AccessAttributes } from './authorizer.ts';

/** The refusal of a request, in Kubernetes' words. */
export function forbiddenError(access: AccessAttributes, reason: string): StatusError {
  const message = withoutMarkup(refusal(access));
  const resource = access.resource === '' ? undefined : { group: access.group, resource: access.resource };
  return StatusError.forbidden(resource, access.name, reason === '' ? message : `${message}: ${reason}`);
}

function refusal({ user, verb, isResource, path, group, resource, subresource, namespace }: AccessAttributes): string {
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if (!isResource) return `${who} path ${goQuote(path)}`;
  const what = goQuote(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${what} in API group ${goQuote(group)} ${where}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Nothing that a browser could take for a page. */
export function withoutMarkup(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, (character) => entities[character] as string) : text;
}
