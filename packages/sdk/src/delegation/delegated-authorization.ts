import {
  type AccessAttributes,
  type Authorizer,
  accessReviewSpec,
  cachedReviews,
  noOpinion,
  noRules,
  privilegedGroups,
  reviewVerdict,
  unionAuthorizer,
} from '@tsukube/apiserver';
import { type MainServerOptions, openMainServer, reviewer } from '../access/main-server.ts';

export interface DelegatedAuthorizationOptions extends MainServerOptions {
  /** TTL of cached decisions that allow an access. 10 seconds by default. */
  readonly allowedTtlMs?: number;
  /** TTL of cached decisions that deny an access. 10 seconds by default. */
  readonly deniedTtlMs?: number;
  /** Groups that are always allowed, without a review. `system:masters` by default. */
  readonly alwaysAllowGroups?: readonly string[];
  /** Paths that everybody may request. `*` at the end matches any rest. `/healthz`, `/livez` and `/readyz` by default. */
  readonly alwaysAllowPaths?: readonly string[];
  /** Monotonic milliseconds, for the cache. */
  readonly now?: () => number;
}

export interface DelegatedAuthorization {
  readonly authorizer: Authorizer;
  close(): void;
}

const ttlMs = 10_000;

/**
 * Authorization by SubjectAccessReviews of the main API server, with the defaults of k8s.io/apiserver. An access that cannot be
 * reviewed is refused. Rejects with KubeconfigError.
 */
export async function delegatedAuthorization(options: DelegatedAuthorizationOptions = {}): Promise<DelegatedAuthorization> {
  const { alwaysAllowGroups = ['system:masters'], alwaysAllowPaths = ['/healthz', '/livez', '/readyz'] } = options;
  const server = await openMainServer(options);
  const send = reviewer(server.client, '/apis/authorization.k8s.io/v1/subjectaccessreviews');
  const decide = cachedReviews({
    review: async (spec) =>
      reviewVerdict(await send({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec })),
    allowedTtlMs: options.allowedTtlMs ?? ttlMs,
    deniedTtlMs: options.deniedTtlMs ?? ttlMs,
    onFailure: (error) => ({ decision: 'no opinion', reason: '', error: (error as Error).message }),
    ...(options.now && { now: options.now }),
  });
  const reviews: Authorizer = {
    authorize: (access) => decide(accessReviewSpec(access)),
    rulesFor: () => ({ ...noRules, incomplete: true, error: 'delegated authorization does not list rules' }),
  };
  const authorizer = unionAuthorizer([privilegedGroups(alwaysAllowGroups), allowedPaths(alwaysAllowPaths), reviews]);
  return { authorizer, close: () => server.close() };
}

const allowed = { decision: 'allow', reason: '' } as const;

/** Allows requests for paths that are not those of resources. */
function allowedPaths(paths: readonly string[]): Authorizer {
  const exact = new Set(paths.filter((path) => !path.endsWith('*')));
  const prefixes = paths.filter((path) => path.endsWith('*')).map((path) => path.slice(0, -1));
  const matches = ({ isResource, path }: AccessAttributes) =>
    !isResource && (exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
  return { authorize: (access) => (matches(access) ? allowed : noOpinion), rulesFor: () => noRules };
}
