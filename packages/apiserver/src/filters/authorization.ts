import { type JsonObject, StatusError } from '@tsukube/machinery';
import { anonymous } from '../http/api-request.ts';
import type { ApiRequest, User } from '../http/request.ts';
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

/** Something that somebody may want to do: either to a resource or to a path. */
export type AccessAttributes =
  | {
      readonly of: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly of: 'path'; readonly verb: string; readonly path: string };

/** Neither allowed nor denied: nobody has an opinion, which keeps people out too. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
}

export interface AccessRules {
  readonly resourceRules: readonly JsonObject[];
  readonly nonResourceRules: readonly JsonObject[];
  /** Whether there may be more than could be found out. */
  readonly incomplete: boolean;
}

/** Answers what access reviews ask. */
export interface AccessPolicy {
  decide(user: User, access: AccessAttributes): AccessDecision | Promise<AccessDecision>;
  /** What a user may do in a namespace. */
  rulesOf(user: User, namespace: string): AccessRules | Promise<AccessRules>;
}

const publicPaths = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** Everyone who has proved who they are may do everything; the others see health and version. */
export const authenticatedOnly: Authorizer = (request) => {
  if (request.user.name !== anonymous.name) return true;
  return !request.info.isResource && (request.method === 'GET' || request.method === 'HEAD') && publicPaths.test(request.path);
};

/** The same as a policy. */
export const authenticatedMayAll: AccessPolicy = {
  decide(user, access) {
    if (user.name !== anonymous.name) return { allowed: true };
    return { allowed: access.of === 'path' && access.verb === 'get' && publicPaths.test(access.path) };
  },
  rulesOf: (user) => ({
    resourceRules: user.name === anonymous.name ? [] : [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: user.name === anonymous.name ? [] : [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
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
