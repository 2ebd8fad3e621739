import {
  type AuthorizationMetrics,
  type Authorizer,
  alwaysAllow,
  alwaysDenyAuthorizer,
  type Logger,
  privilegedGroups,
  unionAuthorizer,
  type Verdict,
} from '@tsukube/apiserver';
import { type FindRegistry, nodeAuthorizer, openRbac, RbacIndex } from '@tsukube/builtin';
import type { ServeOptions } from '../config/index.ts';
import { type AuthorizerConfiguration, configurationOfFlags, followConfigurationFile } from './configuration.ts';

export interface Authorization {
  /** Denies everything until it is started. */
  readonly authorizer: Authorizer;
  readonly rbacIndex: RbacIndex;
  /** Resolves when the configured authorizers are ready. Rejects if they cannot be created. */
  start(findRegistry: FindRegistry, metrics: AuthorizationMetrics): Promise<void>;
  stop(): void;
}

/** Longest timeout of a webhook. */
const lingerMs = 60_000;

/** Authorizers need registries, and resources need the authorizer, so creation and start are separate. */
export function createAuthorization(options: ServeOptions, logger: Logger): Authorization {
  const rbacIndex = new RbacIndex();
  let current: Configured | undefined;
  const stops: (() => void)[] = [];
  /** Replaced configurations whose webhook calls may still be in flight. */
  const lingering = new Map<Configured, NodeJS.Timeout>();
  const end = (replaced: Configured): void => {
    clearTimeout(lingering.get(replaced));
    lingering.delete(replaced);
    replaced.close();
  };
  const replace = (next: Configured): void => {
    const replaced = current;
    current = next;
    if (replaced) lingering.set(replaced, setTimeout(() => end(replaced), lingerMs).unref());
  };
  const authorizer = () => current?.authorizer ?? alwaysDenyAuthorizer;
  return {
    authorizer: {
      authorize: (access) => authorizer().authorize(access),
      rulesFor: (user, namespace) => authorizer().rulesFor(user, namespace),
    },
    rbacIndex,
    async start(findRegistry, metrics) {
      const rbac = await openRbac(findRegistry, rbacIndex);
      const nodes = nodeAuthorizer(findRegistry);
      stops.push(
        () => rbac.stop(),
        () => nodes.stop(),
      );
      const deciders = await decidersFor(options, rbac.authorizer, nodes.authorizer, logger, metrics);
      const configure = async (all: readonly AuthorizerConfiguration[]) => replace(await configured(all, deciders));
      const { authorizationConfig: file } = options;
      if (file === undefined) await configure(configurationOfFlags(options));
      else stops.push(await followConfigurationFile(file, configure, logger));
    },
    stop() {
      for (const stop of stops) stop();
      for (const replaced of [...lingering.keys()]) end(replaced);
      current?.close();
    },
  };
}

interface Configured {
  readonly authorizer: Authorizer;
  close(): void;
}

interface Deciders {
  readonly rbac: Authorizer;
  readonly node: Authorizer;
  readonly abac: Authorizer | undefined;
  readonly logger: Logger;
  readonly metrics: AuthorizationMetrics;
}

/** Authorizers that are kept when the configuration is reloaded. */
async function decidersFor(
  { authorizationPolicyFile: policy }: ServeOptions,
  rbac: Authorizer,
  node: Authorizer,
  logger: Logger,
  metrics: AuthorizationMetrics,
): Promise<Deciders> {
  const abac = policy === undefined ? undefined : (await import('./abac.ts')).abacAuthorizer(policy);
  return { rbac, node, abac, logger, metrics };
}

/** system:masters comes first, so that administrators cannot be locked out. */
async function configured(all: readonly AuthorizerConfiguration[], deciders: Deciders): Promise<Configured> {
  const closes: (() => void)[] = [];
  const authorizers: Authorizer[] = [privilegedGroups(['system:masters'])];
  for (const one of all) {
    const authorizer = await authorizerOf(one, deciders, closes);
    authorizers.push(counted(authorizer, deciders.metrics.decided(one.type, one.name)));
  }
  return {
    authorizer: unionAuthorizer(authorizers),
    close() {
      for (const close of closes) close();
    },
  };
}

function counted(authorizer: Authorizer, count: (verdict: Verdict) => void): Authorizer {
  const noted = (verdict: Verdict): Verdict => {
    count(verdict);
    return verdict;
  };
  return {
    authorize(access) {
      const verdict = authorizer.authorize(access);
      return verdict instanceof Promise ? verdict.then(noted) : noted(verdict);
    },
    rulesFor: (user, namespace) => authorizer.rulesFor(user, namespace),
  };
}

async function authorizerOf(one: AuthorizerConfiguration, deciders: Deciders, closes: (() => void)[]): Promise<Authorizer> {
  switch (one.type) {
    case 'AlwaysAllow':
      return alwaysAllow;
    case 'AlwaysDeny':
      return alwaysDenyAuthorizer;
    case 'RBAC':
      return deciders.rbac;
    case 'Node':
      return deciders.node;
    case 'ABAC':
      if (!deciders.abac) throw new Error('the authorizer ABAC needs --authorization-policy-file');
      return deciders.abac;
    case 'Webhook': {
      const { webhookAuthorizer } = await import('./webhook-authorizer.ts');
      const webhook = await webhookAuthorizer(one.name, one.webhook, deciders.logger);
      closes.push(() => webhook.close());
      return webhook;
    }
  }
}
