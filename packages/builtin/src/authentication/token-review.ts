import type { Resource, User } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';
import { objectIn, textIn, textsIn } from '../core/pod-spec/members.ts';
import { reviewResource } from '../review-resource.ts';
import { userInfo } from './user-info.ts';

/** Whose token it is; undefined if nobody's. */
export type TokenLookup = (token: string) => User | undefined | Promise<User | undefined>;

/** Whose token is this? */
export function tokenReview(lookUp: TokenLookup): Resource {
  return reviewResource('authentication.k8s.io', 'TokenReview', async (object) => {
    const spec = objectIn(object, 'spec');
    const token = textIn(spec, 'token');
    if (token === '') throw StatusError.badRequest('token is required for TokenReview in authentication');
    // The tokens that are known are meant for this server: whether they are for somebody else too cannot be confirmed.
    const user = textsIn(spec, 'audiences').length > 0 ? undefined : await lookUp(token);
    return { ...object, status: answered(user) };
  });
}

function answered(user: User | undefined): JsonObject {
  return user ? { authenticated: true, user: userInfo(user) } : { user: {}, error: 'invalid bearer token' };
}
