import { existsSync } from 'node:fs';
import { type ClusterConfig, KubeconfigError } from './cluster-config.ts';
import { readTextFile, TokenFile } from './files.ts';

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
}

export function isInCluster({ env = process.env, folder = accountFolder }: InClusterOptions = {}): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST) && existsSync(`${folder}/token`);
}

/** The API server of the cluster that this pod runs in, with the pod's service account. Throws KubeconfigError. */
export function inClusterConfig({ env = process.env, folder = accountFolder }: InClusterOptions = {}): ClusterConfig {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host) throw new KubeconfigError('not in a cluster: KUBERNETES_SERVICE_HOST is not set');
  const file = new TokenFile(`${folder}/token`);
  file.token();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: readTextFile(`${folder}/ca.crt`, 'the CA of the service account'),
    namespace: existsSync(`${folder}/namespace`) ? readTextFile(`${folder}/namespace`, 'the namespace').trim() : undefined,
    credentials: {
      authorization: () => `Bearer ${file.token()}`,
      certificate: () => undefined,
      refresh: () => file.refresh(),
    },
  };
}
