import {
  type Identification,
  isAuthenticated,
  isRefused,
  type Resource,
  reasonText,
  type TokenAuthenticator,
  type User,
} from '@tsukube/apiserver';
import { formatTime, type JsonObject, objectIn, StatusError, setKey, textIn, textsIn } from '@tsukube/machinery';
import { reviewResource } from '../common/review-resource.ts';
/** Who finds out whose a token is, and whom it is asked for if the question does not say. */
export interface TokenReviewer {
  readonly authenticate: TokenAuthenticator;
  readonly apiAudiences: readonly string[];
}

/** Whose token is this? */
export function tokenReview({ authenticate, apiAudiences }: TokenReviewer): Resource {
  return reviewResource('authentication.k8s.io', 'TokenReview', async (object) => {
    const spec = objectIn(object, 'spec');
    const token = textIn(spec, 'token');
    if (token === '') throw StatusError.badRequest('token is required for TokenReview in authentication');
    const asked = textsIn(spec, 'audiences');
    const audiences = asked.length === 0 ? apiAudiences : asked;
    // As a header would carry it: what stands behind a space is not part of it.
    const found = await authenticate(token.trim().split(' ')[0] as string, audiences.length === 0 ? undefined : audiences);
    return { ...object, status: answered(found) };
  });
}

/** The first reason is that of the authenticator which Kubernetes has for itself, and which knows no token but its own. */
function answered(found: Identification): JsonObject {
  if (isAuthenticated(found)) {
    const { user, audiences = [] } = found;
    return { authenticated: true, user: userInfo(user), ...(audiences.length > 0 && { audiences: [...audiences] }) };
  }
  const reasons = isRefused(found) ? found.refused : [];
  return { user: {}, error: reasonText(['invalid bearer token', ...reasons]) };
}

/** A user as reviews show it. */
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

/** Who am I? */
export const selfSubjectReview: Resource = reviewResource('authentication.k8s.io', 'SelfSubjectReview', (_object, request) => ({
  metadata: { creationTimestamp: formatTime(request.objects.services.now()) },
  status: { userInfo: userInfo(request.user) },
}));

const nobody: TokenReviewer = { authenticate: () => undefined, apiAudiences: [] };

/** By default no token is known. */
export function authenticationResources(tokens: TokenReviewer = nobody): readonly Resource[] {
  return [selfSubjectReview, tokenReview(tokens)];
}
