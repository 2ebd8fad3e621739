import { type Authorizer, alwaysAllow, alwaysDeny, anonymous } from '@tsukube/apiserver';

const publicPaths = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** Everyone who has proved who they are may do everything; the others see health and version. */
export const authenticatedMayAll: Authorizer = {
  authorize(access) {
    const isPublic = !access.isResource && (access.verb === 'get' || access.verb === 'head') && publicPaths.test(access.path);
    if (access.user.name !== anonymous.name || isPublic) return alwaysAllow.authorize(access);
    return { decision: 'no opinion', reason: '' };
  },
  rulesFor: (user, namespace) => (user.name === anonymous.name ? alwaysDeny : alwaysAllow).rulesFor(user, namespace),
};
