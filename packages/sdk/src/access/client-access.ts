import { isApiError, KubeClient } from '@tsukube/client';
import type { JsonObject } from '@tsukube/machinery';
import type { ApiAccess } from './api-access.ts';

const timeoutMs = 15_000;

/** Access with a kubeconfig, given as path or as text, or the service account of the pod. Rejects with KubeconfigError. */
export async function clientAccess(kubeconfig?: string): Promise<ApiAccess> {
  // Registration has its own retries.
  const client = await KubeClient.load({
    kubeconfig,
    userAgent: 'tsukube-sdk',
    rateLimit: false,
    retry: { limit: 0 },
    timeoutMs,
  });
  return {
    send: async (request) => {
      try {
        return { status: 200, body: await client.json<JsonObject>(request) };
      } catch (error) {
        if (isApiError(error)) return { status: error.code, body: { message: error.message } };
        throw error;
      }
    },
    close: () => client.close(),
  };
}
