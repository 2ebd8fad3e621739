import { type Authorizer, type Logger, noOpinion, noRules, type Verdict } from '@tsukube/apiserver';
import { isObject, type JsonObject } from '@tsukube/machinery';
import { withBackoff } from '../webhook/backoff.ts';
import { type WebhookClient, webhookClient } from '../webhook/webhook-client.ts';
import { readWebhookKubeconfig } from '../webhook/webhook-kubeconfig.ts';
import { reviewSpec } from './access-review.ts';
import type { WebhookConfiguration } from './configuration.ts';
import { compileMatchConditions } from './match-conditions.ts';
import { RememberedVerdicts } from './remembered-verdicts.ts';

export interface WebhookAuthorizer extends Authorizer {
  close(): void;
}

const firstDelayMs = 500;
/** Whoever sends more than this in what a decision depends on is asked about every time. */
const maxRememberedBytes = 10_000;

/** Asks a service, and remembers what it said for a while. Fails if its kubeconfig or its conditions are not good. */
export async function webhookAuthorizer(
  name: string,
  configuration: WebhookConfiguration,
  logger: Logger,
): Promise<WebhookAuthorizer> {
  const client = webhookClient(await readWebhookKubeconfig(configuration.kubeConfigFile), configuration.timeout);
  const matches = await compileMatchConditions(configuration.matchConditions);
  const remembered = new RememberedVerdicts(configuration.authorizedTtl, configuration.unauthorizedTtl);
  const failed = (error: unknown): Verdict => ({
    decision: configuration.failurePolicy === 'Deny' ? 'deny' : 'no opinion',
    reason: '',
    error: error instanceof Error ? error.message : String(error),
  });
  const ask = async (key: string, spec: JsonObject): Promise<Verdict> => {
    try {
      const verdict = await review(client, spec, configuration.subjectAccessReviewVersion);
      if (key.length <= maxRememberedBytes) remembered.add(key, verdict);
      return verdict;
    } catch (error) {
      logger.error('an authorization webhook could not be asked', { name, error: String(error) });
      return failed(error);
    }
  };
  return {
    authorize(access) {
      const spec = reviewSpec(access);
      const matching = matches(spec);
      if (typeof matching === 'string') return failed(matching);
      if (!matching) return noOpinion;
      const key = JSON.stringify(spec);
      return remembered.get(key) ?? ask(key, spec);
    },
    rulesFor: () => ({ ...noRules, incomplete: true, error: 'webhook authorizer does not support user rule resolution' }),
    close: () => client.close(),
  };
}

async function review(client: WebhookClient, spec: JsonObject, version: 'v1' | 'v1beta1'): Promise<Verdict> {
  const body = JSON.stringify({
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: version === 'v1' ? spec : inOldVersion(spec),
    status: { allowed: false },
  });
  const answer = await withBackoff(firstDelayMs, async () => {
    const { status, body: text } = await client.post(body);
    if (status >= 200 && status < 300) return text;
    const error = new Error(`the webhook answered with the status ${status}`);
    if (status === 429 || status >= 500) throw error;
    return error;
  });
  if (answer instanceof Error) throw answer;
  return verdictOf(JSON.parse(answer) as JsonObject);
}

/** Groups had another name once. */
function inOldVersion({ groups, ...spec }: JsonObject): JsonObject {
  return groups === undefined ? spec : { ...spec, group: groups };
}

function verdictOf({ status }: JsonObject): Verdict {
  const { allowed, denied, reason: given } = isObject(status) ? status : {};
  const reason = typeof given === 'string' ? given : '';
  if (allowed === true && denied === true)
    return { decision: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' };
  if (denied === true) return { decision: 'deny', reason };
  return { decision: allowed === true ? 'allow' : 'no opinion', reason };
}
