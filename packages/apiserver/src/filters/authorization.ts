import { StatusError } from '@tsukube/machinery';
import type { ApiRequest } from '../http/request.ts';
import type { Filter } from './filter.ts';

/** Says whether a request may go on. */
export type Authorizer = (request: ApiRequest) => boolean | Promise<boolean>;

export function authorization(authorizer: Authorizer): Filter {
  return function authorize(request, next) {
    const allowed = authorizer(request);
    if (allowed instanceof Promise) {
      return allowed.then((yes) => {
        if (!yes) throw forbidden(request);
        return next(request);
      });
    }
    if (!allowed) throw forbidden(request);
    return next(request);
  };
}

const publicPaths = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** Everyone who has proved who they are may do everything; the others see health and version. */
export const authenticatedOnly: Authorizer = (request) => {
  if (request.user.name !== 'system:anonymous') return true;
  return !request.info.isResource && (request.method === 'GET' || request.method === 'HEAD') && publicPaths.test(request.path);
};

function forbidden(request: ApiRequest): StatusError {
  const { info, user } = request;
  if (!info.isResource)
    return StatusError.forbidden(undefined, '', `User "${user.name}" cannot ${info.verb} path "${request.path}"`);
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const scope = info.namespace === '' ? 'at the cluster scope' : `in the namespace "${info.namespace}"`;
  const reason = `User "${user.name}" cannot ${info.verb} resource "${resource}" in API group "${info.group}" ${scope}`;
  return StatusError.forbidden({ group: info.group, resource: info.resource }, info.name, reason);
}
