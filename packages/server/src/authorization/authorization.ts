import { type Authorizer, alwaysAllow, alwaysDeny, type Logger, privilegedGroups, unionAuthorizer } from '@tsukube/apiserver';
import { type FindRegistry, openRbac, type Rbac, RbacIndex } from '@tsukube/builtin';
import type { ServeOptions } from '../config/index.ts';
import { type AuthorizerConfiguration, configurationOfFlags } from './configuration.ts';

export interface Authorization {
  /** Refuses everything until it is started. */
  readonly authorizer: Authorizer;
  readonly rbacIndex: RbacIndex;
  /** Resolves once it decides as configured. */
  start(findRegistry: FindRegistry): Promise<void>;
  stop(): void;
}

/** Whoever decides needs the objects, whose kinds need somebody to ask who decides: hence in two steps. */
export function createAuthorization(options: ServeOptions, _logger: Logger): Authorization {
  const rbacIndex = new RbacIndex();
  let current = alwaysDeny;
  const stops: (() => void)[] = [];
  return {
    authorizer: {
      authorize: (access) => current.authorize(access),
      rulesFor: (user, namespace) => current.rulesFor(user, namespace),
    },
    rbacIndex,
    async start(findRegistry) {
      const rbac = await openRbac(findRegistry, rbacIndex);
      stops.push(() => rbac.stop());
      current = await configuredAuthorizer(configurationOfFlags(options), { rbac });
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

interface Deciders {
  readonly rbac: Rbac;
}

async function configuredAuthorizer(all: readonly AuthorizerConfiguration[], deciders: Deciders): Promise<Authorizer> {
  const authorizers = await Promise.all(all.map((configuration) => authorizerOf(configuration, deciders)));
  return unionAuthorizer([privilegedGroups(['system:masters']), ...authorizers]);
}

function authorizerOf({ type }: AuthorizerConfiguration, { rbac }: Deciders): Authorizer | Promise<Authorizer> {
  if (type === 'AlwaysAllow') return alwaysAllow;
  if (type === 'AlwaysDeny') return alwaysDeny;
  return rbac.authorizer;
}
