import type { FindRegistry } from '@tsukube/builtin';
import { postStartHooks } from '@tsukube/controllers';
import type { ApiServerParts } from './api-server.ts';
import type { AccessControl, Api, OpenStorage } from './assembly.ts';
import { type Background, completeHooks, controllerContext } from './background.ts';
import type { ProcessGroup } from './processes/process-group.ts';
import type { RequestHandling } from './request-handling.ts';

/**
 * The background of a process that another one writes for: it follows flow control, authorization, custom resources and
 * APIServices, and writes nothing. Process 0 creates the bootstrap objects, runs the controllers and compacts.
 */
export async function followInBackground(
  parts: ApiServerParts,
  access: AccessControl,
  storage: OpenStorage,
  api: Api,
  { limits, hooks }: RequestHandling,
  findRegistry: FindRegistry,
): Promise<Background> {
  const group = parts.group as ProcessGroup;
  const context = controllerContext(parts, access, storage, api);
  const [flowConfiguration] = await Promise.all([
    limits.begin(context, false),
    access.authorization.start(findRegistry, storage.metrics.authorization),
  ]);
  await api.custom?.load();
  const apiServices = findRegistry('apiregistration.k8s.io', 'apiservices');
  if (apiServices) await api.aggregator.start(apiServices);
  completeHooks(hooks, storage);
  for (const name of ['controllers', ...postStartHooks]) hooks.complete(name, () => group.checkHook(name));
  return {
    publish() {},
    async withdraw() {},
    beginStop() {},
    async stop() {
      await flowConfiguration.stop();
    },
  };
}
