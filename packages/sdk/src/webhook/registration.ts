import { type ApiAccess, applyObject, deleteIfExists } from '../access/api-access.ts';
import { withRetries } from '../access/client-access.ts';
import { applyService, removeEndpoint, removeService } from '../register/service-endpoint.ts';
import { type ConfigurationContent, configurationOf, configurationPath } from './configurations.ts';
import type { WebhookService } from './serve-options.ts';

export interface RegistrationParts {
  readonly access: ApiAccess;
  /** The configurations as they should be now. */
  readonly content: () => ConfigurationContent;
  /** The Service to create, if any. */
  readonly service: WebhookService | undefined;
  readonly port: number;
}

export interface Registration {
  /** Creates or updates the configurations. Retries for a while if the API server cannot be reached. */
  register(): Promise<void>;
  /** Deletes the configurations, and the Service if it was created. */
  unregister(): Promise<void>;
  /** Takes this process out of a Service that was created; other replicas stay. */
  leave(): Promise<void>;
}

const types = ['mutating', 'validating'] as const;

/** The configurations have the name of the program, which is the field manager, too. */
export function registrationOf({ access, content, service, port }: RegistrationParts): Registration {
  const { name } = content();
  return {
    register: () =>
      withRetries(async () => {
        if (service) await applyService(access, service, port, name);
        for (const type of types) await applyConfiguration(access, type, content());
      }),
    async unregister() {
      for (const type of types) await deleteIfExists(access, configurationPath(type, name));
      if (!service) return;
      await removeEndpoint(access, service, port);
      await removeService(access, service);
    },
    leave: async () => {
      if (service) await removeEndpoint(access, service, port);
    },
  };
}

/** A configuration without webhooks is deleted: an earlier version of the program may have had some. */
async function applyConfiguration(access: ApiAccess, type: (typeof types)[number], content: ConfigurationContent): Promise<void> {
  const configuration = configurationOf(type, content);
  const path = configurationPath(type, content.name);
  if (configuration) await applyObject(access, path, configuration, content.name);
  else await deleteIfExists(access, path);
}
