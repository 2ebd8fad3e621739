import { isAbsolute } from 'node:path';
import type { FindCredentials } from '@tsukube/apiserver';
import { goQuote, type JsonObject, textIn } from '@tsukube/machinery';
import { readWebhookUsers } from '../files/webhook-kubeconfig.ts';
import { initFailure, type PluginConfigurations } from './configuration-file.ts';

const kinds = ['apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration', 'apiserver.config.k8s.io/v1alpha1 WebhookAdmission'];
const plugins = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];

/** The credentials for admission webhooks. The kubeconfig is read with the first call. */
export function webhookCredentials(configuration: JsonObject | undefined): FindCredentials | undefined {
  const file = configuration && kubeConfigFile(configuration);
  if (!file) return undefined;
  let users: ReturnType<typeof readWebhookUsers> | undefined;
  return async (target) => {
    users ??= readWebhookUsers(file);
    return (await users)(target);
  };
}

/** Rejects if the configuration of a webhook plugin, or its kubeconfig, cannot be used. */
export async function checkWebhookCredentials(configurations: PluginConfigurations): Promise<void> {
  for (const plugin of plugins) {
    try {
      await webhookCredentials(configurations[plugin])?.('');
    } catch (error) {
      throw initFailure(plugin, error);
    }
  }
}

function kubeConfigFile(configuration: JsonObject): string {
  const { apiVersion, kind } = configuration;
  if (!kinds.includes(`${apiVersion} ${kind}`))
    throw new Error(`no kind ${goQuote(String(kind ?? ''))} is registered for version ${goQuote(String(apiVersion ?? ''))}`);
  const file = textIn(configuration, 'kubeConfigFile');
  if (file === '' || isAbsolute(file)) return file;
  throw new Error(`kubeConfigFile: Invalid value: ${goQuote(file)}: must be an absolute file path`);
}
