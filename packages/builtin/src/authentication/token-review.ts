import {
  type Identification,
  isAuthenticated,
  isRefused,
  type Resource,
  reasonText,
  type TokenAuthenticator,
} from '@tsukube/apiserver';
import { type JsonObject, objectIn, StatusError, textIn, textsIn } from '@tsukube/machinery';
import { reviewResource } from '../common/review-resource.ts';
import { userInfo } from './user-info.ts';

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
