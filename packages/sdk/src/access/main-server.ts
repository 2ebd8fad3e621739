import { inClusterConfig, KubeClient } from '@tsukube/client';
import type { JsonObject } from '@tsukube/machinery';

/** The main API server, to which an aggregated one delegates. Without any of these: `KUBECONFIG`, the pod's service account, `~/.kube/config`. */
export interface MainServerOptions {
  /** Is not closed. Its own rate limit and retries apply. */
  readonly client?: KubeClient;
  /** Path or text. */
  readonly kubeconfig?: string;
  /** The service account of this pod, and nothing else. */
  readonly inCluster?: boolean;
}

export interface MainServer {
  readonly client: KubeClient;
  /** Closes the client, unless it was given. */
  close(): void;
}

/** Limits of k8s.io/apiserver for delegated authentication and authorization. */
const clientOptions = {
  userAgent: 'tsukube-sdk',
  rateLimit: { qps: 200, burst: 400 },
  retry: { limit: 4, initialMs: 500, maxMs: 1000 },
  timeoutMs: 10_000,
};

/** Rejects with KubeconfigError. */
export async function openMainServer({ client, kubeconfig, inCluster }: MainServerOptions): Promise<MainServer> {
  if (client) return { client, close() {} };
  const own = inCluster
    ? new KubeClient(inClusterConfig(), clientOptions)
    : await KubeClient.load({ kubeconfig, ...clientOptions });
  return { client: own, close: () => own.close() };
}

const maxReviewsInFlight = 1000;

/** Sends TokenReviews or SubjectAccessReviews, which change nothing and may be repeated. Rejects beyond a number in flight. */
export function reviewer(client: KubeClient, path: string): (review: JsonObject) => Promise<JsonObject> {
  let inFlight = 0;
  return async (body) => {
    if (inFlight >= maxReviewsInFlight) throw new Error(`more than ${maxReviewsInFlight} reviews are in flight`);
    inFlight++;
    try {
      return await client.json<JsonObject>({ method: 'POST', path, body, idempotent: true, timeoutMs: clientOptions.timeoutMs });
    } finally {
      inFlight--;
    }
  };
}
