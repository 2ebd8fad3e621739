import { duration, inputFile, list, optionalChoice } from './flag-types.ts';

export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

/** Default authorization modes. */
export const defaultAuthorizationModes: readonly AuthorizationMode[] = ['Node', 'RBAC'];

/** Flags of authorization. */
export const authorizationFlags = {
  authorizationMode: list({
    group: 'Authorization',
    fallbackText: defaultAuthorizationModes.join(','),
    help: `Who decides what users may do, in order: ${authorizationModes.join(', ')}.`,
    check: modeComplaint,
  }),
  authorizationConfig: inputFile({
    group: 'Authorization',
    help: 'AuthorizationConfiguration that says who decides, instead of the other flags; read again when it changes.',
  }),
  authorizationPolicyFile: inputFile({
    group: 'Authorization',
    help: 'Policy for --authorization-mode=ABAC, one JSON object a line.',
  }),
  authorizationWebhookConfigFile: inputFile({
    group: 'Authorization',
    help: 'Kubeconfig of the service that --authorization-mode=Webhook asks.',
  }),
  authorizationWebhookVersion: optionalChoice({
    group: 'Authorization',
    of: ['v1', 'v1beta1'],
    fallbackText: 'v1beta1',
    help: 'Version of the SubjectAccessReview that the webhook is asked with.',
  }),
  authorizationWebhookCacheAuthorizedTtl: duration({
    group: 'Authorization',
    fallback: 300_000,
    help: 'How long the webhook is not asked again about what it has allowed.',
  }),
  authorizationWebhookCacheUnauthorizedTtl: duration({
    group: 'Authorization',
    fallback: 30_000,
    help: 'How long the webhook is not asked again about what it has not allowed.',
  }),
};

function modeComplaint(modes: readonly string[]): string | undefined {
  const unknown = modes.find((mode) => !authorizationModes.some((known) => known === mode));
  if (unknown !== undefined) return `names ${unknown}, which is not one of ${authorizationModes.join(', ')}`;
  return new Set(modes).size < modes.length ? 'names a mode more than once' : undefined;
}
