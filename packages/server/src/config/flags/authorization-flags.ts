import { duration, inputFile, optionalChoice, texts } from './flag-types.ts';

export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

/** Default authorization modes. */
export const defaultAuthorizationModes: readonly AuthorizationMode[] = ['Node', 'RBAC'];

/** Flags of authorization. */
export const authorizationFlags = {
  authorizationMode: texts({
    group: 'Authorization',
    fallbackText: defaultAuthorizationModes.join(','),
    help: `Authorizers, in order: ${authorizationModes.join(', ')}.`,
    check: modeComplaint,
  }),
  authorizationConfig: inputFile({
    group: 'Authorization',
    help: 'AuthorizationConfiguration, instead of the other flags. Reloaded when it changes.',
  }),
  authorizationPolicyFile: inputFile({
    group: 'Authorization',
    help: 'Policy for --authorization-mode=ABAC, one JSON object a line.',
  }),
  authorizationWebhookConfigFile: inputFile({
    group: 'Authorization',
    help: 'Kubeconfig of the webhook of --authorization-mode=Webhook.',
  }),
  authorizationWebhookVersion: optionalChoice({
    group: 'Authorization',
    of: ['v1', 'v1beta1'],
    fallbackText: 'v1beta1',
    help: 'Version of the SubjectAccessReview sent to the webhook.',
  }),
  authorizationWebhookCacheAuthorizedTtl: duration({
    group: 'Authorization',
    fallback: 300_000,
    help: 'How long allowed requests are cached.',
  }),
  authorizationWebhookCacheUnauthorizedTtl: duration({
    group: 'Authorization',
    fallback: 30_000,
    help: 'How long requests that were not allowed are cached.',
  }),
};

function modeComplaint(modes: readonly string[]): string | undefined {
  const unknown = modes.find((mode) => !authorizationModes.some((known) => known === mode));
  if (unknown !== undefined) return `names ${unknown}, which is not one of ${authorizationModes.join(', ')}`;
  return new Set(modes).size < modes.length ? 'names a mode more than once' : undefined;
}
