import type { CustomApi } from '@tsukube/crds';
import { apiServiceController } from './api-services.ts';
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
  const controllers = [namespaceController(context), rootCaPublisher(context)];
  if (context.resources.some(({ names }) => names.plural === 'serviceaccounts'))
    controllers.push(serviceAccountController(context), tokenSecretController(context));
  if (context.collectGarbage) controllers.push(garbageCollector(context));
  if (context.resources.some(({ names }) => names.plural === 'clusterroles')) controllers.push(clusterRoleAggregation(context));
  if (context.resources.some(({ names }) => names.plural === 'apiservices'))
    controllers.push(apiServiceController(context, custom));
  return {
    stop() {
      for (const controller of controllers) controller.stop();
    },
  };
}
