import {
  type Identification,
  isAuthenticated,
  isRefused,
  type Resource,
  type TokenAuthenticator,
  type User,
} from '@tsukube/apiserver';
import {
  aggregateMessage,
  formatTime,
  type JsonObject,
  objectIn,
  StatusError,
  setKey,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { reviewResource } from './access-reviews.ts';

/** Authenticates tokens; `apiAudiences` is the default audience. */
export interface TokenReviewer {
  readonly authenticate: TokenAuthenticator;
  readonly apiAudiences: readonly string[];
}

/** TokenReview: authenticates the token. */
export function tokenReview({ authenticate, apiAudiences }: TokenReviewer): Resource {
  return reviewResource('authentication.k8s.io', 'TokenReview', async (object, _request, validate) => {
    const spec = objectIn(object, 'spec');
    const token = textIn(spec, 'token');
    if (token === '') throw StatusError.badRequest('token is required for TokenReview in authentication');
    await validate();
    const requested = textsIn(spec, 'audiences');
    const audiences = requested.length === 0 ? apiAudiences : requested;
    // As in an Authorization header, the token ends at the first space.
    const found = await authenticate(token.trim().split(' ')[0] ?? '', audiences.length === 0 ? undefined : audiences);
    return { ...object, status: statusOf(found) };
  });
}

/** The first error is that of Kubernetes' loopback authenticator. */
function statusOf(found: Identification): JsonObject {
  if (isAuthenticated(found)) {
    const { user, audiences = [] } = found;
    return { authenticated: true, user: userInfo(user), ...(audiences.length > 0 && { audiences: [...audiences] }) };
  }
  const reasons = isRefused(found) ? found.refused : [];
  return { user: {}, error: aggregateMessage(['invalid bearer token', ...reasons]) };
}

/** authentication.k8s.io UserInfo. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const info: JsonObject = { username: name };
  if (uid) info.uid = uid;
  if (groups.length > 0) info.groups = [...groups];
  const entries = Object.entries(extra ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  if (entries.length === 0) return info;
  const shown: JsonObject = {};
  for (const [key, values] of entries) setKey(shown, key, [...values]);
  info.extra = shown;
  return info;
}

/** SelfSubjectReview: the user of the request. */
export const selfSubjectReview: Resource = reviewResource(
  'authentication.k8s.io',
  'SelfSubjectReview',
  async (_object, request, validate) => {
    await validate();
    return {
      metadata: { creationTimestamp: formatTime(request.objects.services.now()) },
      status: { userInfo: userInfo(request.user) },
    };
  },
);

const noReviewer: TokenReviewer = { authenticate: () => undefined, apiAudiences: [] };

/** Without a reviewer no token is authenticated. */
export function authenticationResources(tokens: TokenReviewer = noReviewer): readonly Resource[] {
  return [selfSubjectReview, tokenReview(tokens)];
}
