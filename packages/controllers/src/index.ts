import type { CustomApi } from '@tsukube/crds';
import { apiServiceAvailability } from './api-services/availability.ts';
import { apiServiceController } from './api-services/registration.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { garbageCollector } from './garbage/index.ts';
import { namespaceController } from './namespaces.ts';
import {
  persistentVolumeClaimProtection,
  persistentVolumeProtection,
  volumeAttributesClassProtection,
} from './protection/volumes.ts';
import { rootCaPublisher } from './root-ca.ts';
import { serviceAccountController } from './service-accounts.ts';
import { tokenSecretController } from './token-secrets.ts';

export { type Announcement, announceServer, type ServerIdentity } from './announcement/index.ts';
export type { Controller, ControllerContext } from './controller.ts';
export { type FlowConfigurationOptions, flowConfiguration } from './flowcontrol/flow-configuration.ts';

interface ManagedController {
  /** As kube-controller-manager calls it. */
  readonly name: string;
  readonly start: (context: ControllerContext) => Controller;
  /** The resources without which it does not run. */
  readonly needs?: readonly string[];
}

/** The controllers of kube-controller-manager that an API server cannot be used without. */
const managed: readonly ManagedController[] = [
  { name: 'namespace-controller', start: namespaceController },
  { name: 'root-ca-certificate-publisher-controller', start: rootCaPublisher },
  { name: 'serviceaccount-controller', start: serviceAccountController, needs: ['serviceaccounts'] },
  { name: 'serviceaccount-token-controller', start: tokenSecretController, needs: ['serviceaccounts'] },
  { name: 'garbage-collector-controller', start: garbageCollector },
  { name: 'clusterrole-aggregation-controller', start: clusterRoleAggregation, needs: ['clusterroles'] },
  {
    name: 'persistentvolumeclaim-protection-controller',
    start: persistentVolumeClaimProtection,
    needs: ['persistentvolumeclaims', 'pods'],
  },
  { name: 'persistentvolume-protection-controller', start: persistentVolumeProtection, needs: ['persistentvolumes'] },
  {
    name: 'volumeattributesclass-protection-controller',
    start: volumeAttributesClassProtection,
    needs: ['volumeattributesclasses', 'persistentvolumes', 'persistentvolumeclaims'],
  },
];

export const controllerNames = managed.map(({ name }) => name);

/** Those of kube-controller-manager that are switched on, and those of kube-apiserver itself. */
export function startControllers(context: ControllerContext, custom?: CustomApi): Controller {
  const isServed = (plural: string) => context.resources.some(({ names }) => names.plural === plural);
  const controllers = managed
    .filter(({ name, needs = [] }) => isEnabled(name, context) && needs.every(isServed))
    .map(({ start }) => start(context));
  if (isServed('apiservices')) controllers.push(apiServiceController(context, custom));
  if (['apiservices', 'services', 'endpointslices'].every(isServed)) controllers.push(apiServiceAvailability(context));
  return {
    stop() {
      for (const controller of controllers) controller.stop();
    },
  };
}

function isEnabled(name: string, { controllers, collectGarbage }: ControllerContext): boolean {
  return isListed(controllers, name) && (collectGarbage || name !== 'garbage-collector-controller');
}

/**
 * Whether a list such as that of `--controllers` has a controller run. The first entry that names it decides; otherwise it
 * runs if `*` is among them.
 */
export function isListed(controllers: readonly string[], name: string): boolean {
  const named = controllers.find((entry) => entry === name || entry === `-${name}`);
  return named === undefined ? controllers.includes('*') : named === name;
}
