import { StatusError } from '@tsukube/machinery';
import type { HeaderRedaction } from '@tsukube/transport';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.ts';
import { isImpersonationHeader, type RequestedUser, requestedUser } from '../authorization/impersonation-headers.ts';
import { type Impersonated, type ImpersonationMode, impersonationModes } from '../authorization/impersonation-modes.ts';
import { RequestAccess } from '../authorization/request-access.ts';
import type { Filter } from './filter.ts';

/** Replaces the user of requests with impersonation headers, if that is authorized. Conceals the headers. */
export function impersonation(authorizer: Authorizer): Filter {
  const find = impersonator(impersonationModes(authorizer));
  return function impersonate(request, next) {
    const requested = requestedUser(request.exchange);
    if (!requested) return next(request);
    return find(requested, new RequestAccess(request)).then(({ user, constraint }) => {
      request.impersonation = { impersonator: request.user, constraint };
      request.user = user;
      request.exchange.redact(withoutImpersonation);
      return next(request);
    });
  };
}

const withoutImpersonation: HeaderRedaction = (name, value) => (isImpersonationHeader(name) ? undefined : value);

const maxRemembered = 10_000;

/** Tries first the mode that last worked for the user. Rejects with the first mode's error. */
function impersonator(
  modes: readonly ImpersonationMode[],
): (requested: RequestedUser, access: AccessAttributes) => Promise<Impersonated> {
  const last = new Map<string, ImpersonationMode>();
  return async (requested, access) => {
    const { name } = access.user;
    const favourite = last.get(name);
    let refusal: unknown;
    for (const mode of favourite ? [favourite, ...modes.filter((one) => one !== favourite)] : modes) {
      try {
        const found = await mode.check(requested, access);
        if (!found) continue;
        if (last.size >= maxRemembered) last.clear();
        last.set(name, mode);
        return found;
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  };
}
