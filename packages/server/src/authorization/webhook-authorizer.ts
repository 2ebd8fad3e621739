import {
  type Authorizer,
  accessReviewSpec,
  cachedReviews,
  type Logger,
  noOpinion,
  noRules,
  reviewVerdict,
  type Verdict,
} from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import {
  type KubeconfigWebhook,
  kubeconfigWebhook,
  readWebhookKubeconfig,
  retryWithBackoff,
} from '../files/webhook-kubeconfig.ts';
import type { WebhookConfiguration } from './configuration.ts';
import { compileReviewMatchConditions } from './match-conditions.ts';

export interface WebhookAuthorizer extends Authorizer {
  close(): void;
}

const firstDelayMs = 500;

/** Authorizes by a webhook, with a decision cache. Rejects if its kubeconfig or its conditions are invalid. */
export async function webhookAuthorizer(
  name: string,
  configuration: WebhookConfiguration,
  logger: Logger,
): Promise<WebhookAuthorizer> {
  const client = kubeconfigWebhook(await readWebhookKubeconfig(configuration.kubeConfigFile), configuration.timeout);
  const matches = await compileReviewMatchConditions(configuration.matchConditions);
  const failed = (error: unknown): Verdict => ({
    decision: configuration.failurePolicy === 'Deny' ? 'deny' : 'no opinion',
    reason: '',
    error: error instanceof Error ? error.message : String(error),
  });
  const decide = cachedReviews({
    review: (spec) => review(client, spec, configuration.subjectAccessReviewVersion),
    allowedTtlMs: configuration.authorizedTtl,
    deniedTtlMs: configuration.unauthorizedTtl,
    onFailure(error) {
      logger.error('authorization webhook failed', { name, error: String(error) });
      return failed(error);
    },
  });
  return {
    authorize(access) {
      const spec = accessReviewSpec(access);
      const matching = matches(spec);
      if (typeof matching === 'string') return failed(matching);
      if (!matching) return noOpinion;
      return decide(spec);
    },
    rulesFor: () => ({ ...noRules, incomplete: true, error: 'webhook authorizer does not support user rule resolution' }),
    close: () => client.close(),
  };
}

async function review(client: KubeconfigWebhook, spec: JsonObject, version: 'v1' | 'v1beta1'): Promise<Verdict> {
  const body = JSON.stringify({
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: version === 'v1' ? spec : inOldVersion(spec),
    status: { allowed: false },
  });
  const answer = await retryWithBackoff({ initialMs: firstDelayMs }, async () => {
    const { status, body: text } = await client.post(body);
    if (status >= 200 && status < 300) return text;
    const error = new Error(`the webhook answered with the status ${status}`);
    if (status === 429 || status >= 500) throw error;
    return error;
  });
  if (answer instanceof Error) throw answer;
  return reviewVerdict(JSON.parse(answer) as JsonObject);
}

/** v1beta1 calls the groups `group`. */
function inOldVersion({ groups, ...spec }: JsonObject): JsonObject {
  return groups === undefined ? spec : { ...spec, group: groups };
}
