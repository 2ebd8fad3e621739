import { defaultAuthorizationModes, type ServeOptions } from '../config/index.ts';

/** Who decides, and in which order: what flags and configuration files both come down to. */
export type AuthorizerConfiguration =
  | { readonly type: 'AlwaysAllow' | 'AlwaysDeny' | 'ABAC' | 'RBAC' | 'Node'; readonly name: string }
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookConfiguration };

export interface WebhookConfiguration {
  /** In milliseconds; zero: not remembered. */
  readonly authorizedTtl: number;
  readonly unauthorizedTtl: number;
  readonly timeout: number;
  readonly subjectAccessReviewVersion: 'v1' | 'v1beta1';
  /** The version that matchConditions see; absent without any. */
  readonly matchConditionVersion?: 'v1';
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly kubeConfigFile: string;
  /** CEL: the webhook is asked only if all are true. */
  readonly matchConditions: readonly string[];
}

export function configurationOfFlags(options: ServeOptions): readonly AuthorizerConfiguration[] {
  const modes = options.authorizationMode.length > 0 ? options.authorizationMode : defaultAuthorizationModes;
  return modes.map((mode) => {
    if (mode !== 'Webhook') return { type: mode, name: mode.toLowerCase() } as AuthorizerConfiguration;
    return { type: mode, name: 'default', webhook: webhookOfFlags(options) };
  });
}

function webhookOfFlags(options: ServeOptions): WebhookConfiguration {
  return {
    authorizedTtl: options.authorizationWebhookCacheAuthorizedTtl,
    unauthorizedTtl: options.authorizationWebhookCacheUnauthorizedTtl,
    timeout: 30_000,
    subjectAccessReviewVersion: options.authorizationWebhookVersion ?? 'v1beta1',
    failurePolicy: 'NoOpinion',
    kubeConfigFile: options.authorizationWebhookConfigFile as string,
    matchConditions: [],
  };
}
