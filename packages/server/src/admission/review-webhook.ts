import { connectionProblem, OutboundError, statusProblem } from '@tsukube/apiserver';
import { imagePolicyConfiguration, type ReviewWebhook } from '@tsukube/builtin';
import { cannotUnmarshal, isObject, type JsonObject, parseJson, StatusError } from '@tsukube/machinery';
import {
  type KubeconfigWebhook,
  kubeconfigWebhook,
  readWebhookKubeconfig,
  retryWithBackoff,
  type WebhookAnswer,
  type WebhookEndpoint,
} from '../files/webhook-kubeconfig.ts';
import { initFailure, type PluginConfigurations } from './configuration-file.ts';

const timeoutMs = 30_000;

interface OpenWebhook {
  readonly endpoint: WebhookEndpoint;
  readonly client: KubeconfigWebhook;
}

/** A webhook for reviews of admission plugins. Its kubeconfig is read with the first call. */
export function reviewWebhook(kubeConfigFile: string): ReviewWebhook {
  let opened: Promise<OpenWebhook> | undefined;
  return {
    async post(body, initialBackoffMs) {
      opened ??= openWebhook(kubeConfigFile);
      const { endpoint, client } = await opened;
      const result = await retryWithBackoff({ initialMs: initialBackoffMs }, () => attempt(endpoint, client, body));
      if (result instanceof Error) throw result;
      return result;
    },
  };
}

/** Rejects if the kubeconfig of an enabled plugin cannot be used. */
export async function checkReviewWebhooks({ ImagePolicyWebhook: policy }: PluginConfigurations): Promise<void> {
  if (!policy) return;
  try {
    await readWebhookKubeconfig(imagePolicyConfiguration(policy).kubeConfigFile);
  } catch (error) {
    throw initFailure('ImagePolicyWebhook', error);
  }
}

async function openWebhook(kubeConfigFile: string): Promise<OpenWebhook> {
  const endpoint = await readWebhookKubeconfig(kubeConfigFile);
  endpoint.url.searchParams.set('timeout', `${timeoutMs / 1000}s`);
  return { endpoint, client: kubeconfigWebhook(endpoint, timeoutMs) };
}

/** Rejects with transient errors, which are retried, and resolves with others. */
async function attempt({ url }: WebhookEndpoint, client: KubeconfigWebhook, body: string): Promise<JsonObject | Error> {
  try {
    const answer = await client.post(body);
    if (answer.status >= 200 && answer.status <= 206) return objectOf(answer);
    const error = failureOf(answer);
    if (!transient.includes(answer.status)) return error;
    throw error;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const problem = connectionProblem(error, url.hostname);
    const failure = new Error(`Post "${url.href}": ${problem}`, { cause: error });
    const isReset = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET' && problem !== 'EOF';
    if (isReset) throw failure;
    return failure;
  }
}

const transient = [429, 500, 504];

function failureOf({ status, contentType, body }: WebhookAnswer): Error {
  const message = statusProblem(status, contentType, Buffer.from(body));
  if (status !== 403) return new Error(message);
  const causes = [{ reason: 'UnexpectedServerResponse', message }];
  return new StatusError({ status: 'Failure', message, reason: 'Forbidden', details: { causes }, code: 403 });
}

function objectOf({ status, contentType, body }: WebhookAnswer): JsonObject | Error {
  if (body === '') return new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  try {
    const { value } = parseJson(Buffer.from(body));
    return isObject(value)
      ? value
      : new Error(`couldn't get version/kind; json parse error: ${cannotUnmarshal(value, 'struct')}`);
  } catch (error) {
    return new Error(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
}
