import { isApiError, KubeClient } from '@tsukube/client';
import type { JsonObject } from '@tsukube/machinery';
import { type ApiAccess, ApiRefusal } from './api-access.ts';

const timeoutMs = 15_000;

/** Access with a kubeconfig, given as path or as text, or the service account of the pod. Rejects with KubeconfigError. */
export async function clientAccess(kubeconfig?: string): Promise<ApiAccess> {
  const client = await KubeClient.load({ kubeconfig, userAgent: 'tsukube-sdk', rateLimit: false });
  return { ...accessOf(client), close: () => client.close() };
}

/** Access with a client, which is not closed. Nothing is retried: registration has its own retries. */
export function accessOf(client: KubeClient): ApiAccess {
  return {
    send: async (request) => {
      try {
        return { status: 200, body: await client.json<JsonObject>({ ...request, timeoutMs, noRetry: true }) };
      } catch (error) {
        if (isApiError(error)) return { status: error.code, body: { message: error.message } };
        throw error;
      }
    },
    close() {},
  };
}

const maxAttempts = 7;
const firstDelayMs = 250;

/** Retries connection failures and statuses that may pass, with exponential backoff: about 16 seconds in all. */
export async function withRetries(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isFinal = error instanceof ApiRefusal && error.status < 500 && error.status !== 409 && error.status !== 429;
      if (isFinal || attempt === maxAttempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, firstDelayMs * 2 ** (attempt - 1)));
  }
}
