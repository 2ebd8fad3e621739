import { cachedTokenAuthenticator, type TokenAuthenticator, webhookTokenAuthenticator } from '@tsukube/apiserver';
import { isObject, type JsonObject, parseJson } from '@tsukube/machinery';
import type { ServeOptions } from '../config/index.ts';
import { kubeconfigWebhook, readWebhookKubeconfig, retryWithBackoff } from '../files/webhook-kubeconfig.ts';

const firstRetryMs = 500;

export interface TokenWebhook {
  readonly authenticate: TokenAuthenticator;
  stop(): void;
}

/** The cached token authenticator of --authentication-token-webhook-config-file. */
export async function openTokenWebhook(
  path: string,
  options: ServeOptions,
  apiAudiences: readonly string[],
): Promise<TokenWebhook> {
  const client = kubeconfigWebhook(await readWebhookKubeconfig(path));
  const stopping = new AbortController();
  const review = async (question: JsonObject): Promise<JsonObject> => {
    const body = JSON.stringify(question);
    const answer = await retryWithBackoff({ initialMs: firstRetryMs, signal: stopping.signal }, () =>
      retriable(client.post(body)),
    );
    if (answer.status < 200 || answer.status > 299) throw new Error(`the webhook answered ${answer.status}`);
    const { value } = parseJson(Buffer.from(answer.body));
    if (!isObject(value)) throw new Error('the webhook did not answer with a TokenReview');
    return value;
  };
  const { authenticationTokenWebhookVersion: version, authenticationTokenWebhookCacheTtl: ttl } = options;
  const authenticate = webhookTokenAuthenticator({ version, apiAudiences, review });
  return {
    authenticate: cachedTokenAuthenticator(authenticate, { successTtlMs: ttl, failureTtlMs: ttl, keepsRefusals: false }),
    stop() {
      stopping.abort();
      client.close();
    },
  };
}

/** Server errors and 429 are retried; other statuses are not. */
async function retriable<T extends { readonly status: number }>(posted: Promise<T>): Promise<T> {
  const answer = await posted;
  if (answer.status === 429 || answer.status >= 500) throw new Error(`the webhook answered ${answer.status}`);
  return answer;
}
