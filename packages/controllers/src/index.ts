import type { CustomApi } from '@tsukube/crds';
import { apiServiceAvailability } from './api-services/availability.ts';
import { apiServiceController } from './api-services/registration.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { garbageCollector } from './garbage/index.ts';
import { namespaceController } from './namespaces.ts';
import { rootCaPublisher } from './root-ca.ts';
import { serviceAccountController } from './service-accounts.ts';
import { tokenSecretController } from './token-secrets.ts';

export { type Announcement, announceServer, type ServerIdentity } from './announcement/index.ts';
export type { Controller, ControllerContext } from './controller.ts';
export { type FlowConfigurationOptions, flowConfiguration } from './flowcontrol/flow-configuration.ts';

/** The controllers an API server cannot be used without. */
export function startControllers(context: ControllerContext, custom?: CustomApi): Controller {
  const isServed = (plural: string) => context.resources.some(({ names }) => names.plural === plural);
  const controllers = [namespaceController(context), rootCaPublisher(context)];
  if (isServed('serviceaccounts')) controllers.push(serviceAccountController(context), tokenSecretController(context));
  if (context.collectGarbage) controllers.push(garbageCollector(context));
  if (isServed('clusterroles')) controllers.push(clusterRoleAggregation(context));
  if (isServed('apiservices')) controllers.push(apiServiceController(context, custom));
  if (['apiservices', 'services', 'endpointslices'].every(isServed)) controllers.push(apiServiceAvailability(context));
  return {
    stop() {
      for (const controller of controllers) controller.stop();
    },
  };
}
