import type { CustomApi } from '@tsukube/crds';
import { apiServiceAvailability } from './api-service-availability.ts';
import { apiServiceController } from './api-service-registration.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { garbageCollector } from './garbage-collector/index.ts';
import { namespaceController } from './namespaces.ts';
import {
  persistentVolumeClaimProtection,
  persistentVolumeProtection,
  volumeAttributesClassProtection,
} from './protection/volumes.ts';
import { rootCaPublisher } from './root-ca.ts';
import { serviceAccountController } from './service-accounts.ts';
import { tokenSecretController } from './token-secrets.ts';

export type { Controller, ControllerContext } from './controller.ts';
export { type PostStartHook, type ServerEndpoint, startControlPlane } from './controlplane/index.ts';
export { type FlowConfigurationOptions, flowConfiguration } from './flow-configuration.ts';

interface ManagedController {
  /** The name in kube-controller-manager. */
  readonly name: string;
  readonly start: (context: ControllerContext) => Controller;
  /** The controller starts only if these resources are served. */
  readonly needs?: readonly string[];
}

/** The controllers of kube-controller-manager that an API server needs to be usable. */
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

/** Starts the enabled controllers of kube-controller-manager and the APIService controllers of kube-apiserver. */
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
 * Whether a list in the syntax of `--controllers` enables a controller. The first entry that names it decides; otherwise `*`
 * enables it.
 */
export function isListed(controllers: readonly string[], name: string): boolean {
  const named = controllers.find((entry) => entry === name || entry === `-${name}`);
  return named === undefined ? controllers.includes('*') : named === name;
}
