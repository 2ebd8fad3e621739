import type { CustomApi } from '@tsukube/crds';
import { apiServiceAvailability } from './api-service-availability.ts';
import { apiServiceController } from './api-service-registration.ts';
import { certificateApproving } from './certificates/approving.ts';
import { certificateCleaner } from './certificates/cleaner.ts';
import { certificateSigningController } from './certificates/signing.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import { type ControllerContext, isShared, type RunningController } from './controller.ts';
import { garbageCollector } from './garbage-collector/index.ts';
import { type ElectedController, runElected } from './leader-election/election.ts';
import { legacyTokenCleaner } from './legacy-token-cleaner.ts';
import { namespaceController } from './namespace/index.ts';
import { policyStatusController } from './policy-status.ts';
import {
  persistentVolumeClaimProtection,
  persistentVolumeProtection,
  volumeAttributesClassProtection,
} from './protection/volumes.ts';
import { resourceQuotaController } from './resource-quota/index.ts';
import { rootCaPublisher } from './root-ca.ts';
import { serviceAccountController } from './service-accounts.ts';
import { simulationParts, startSimulation, workloadControllerNames } from './simulation.ts';
import { tokenSecretController } from './token-secrets.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';

export type { ControllerContext, RunningController } from './controller.ts';
export { serverIdentity } from './controlplane/identity-lease.ts';
export { type PostStartHook, postStartHooks, type ServerEndpoint, startControlPlane } from './controlplane/index.ts';
export { type FlowConfigurationOptions, flowConfiguration, followFlowConfiguration } from './flow-configuration.ts';

interface ManagedController {
  /** The name in kube-controller-manager. */
  readonly name: string;
  readonly start: (context: ControllerContext) => RunningController;
  /** The controller starts only if these resources are served. */
  readonly needs?: readonly string[];
  /** Runs on each of the servers that share a store. The others run on one of them each. */
  readonly isOnEveryServer?: true;
}

/** The controllers of kube-controller-manager that an API server needs to be usable. */
const managed: readonly ManagedController[] = [
  { name: 'namespace-controller', start: namespaceController },
  // Servers may have different CAs: each publishes its own.
  { name: 'root-ca-certificate-publisher-controller', start: rootCaPublisher, isOnEveryServer: true },
  { name: 'serviceaccount-controller', start: serviceAccountController, needs: ['serviceaccounts'] },
  { name: 'serviceaccount-token-controller', start: tokenSecretController, needs: ['serviceaccounts'] },
  { name: 'garbage-collector-controller', start: garbageCollector },
  { name: 'resourcequota-controller', start: resourceQuotaController, needs: ['resourcequotas'] },
  {
    name: 'validatingadmissionpolicy-status-controller',
    start: policyStatusController,
    needs: ['validatingadmissionpolicies'],
  },
  {
    name: 'certificatesigningrequest-approving-controller',
    start: certificateApproving,
    needs: ['certificatesigningrequests'],
  },
  {
    name: 'certificatesigningrequest-signing-controller',
    start: certificateSigningController,
    needs: ['certificatesigningrequests'],
  },
  {
    name: 'certificatesigningrequest-cleaner-controller',
    start: certificateCleaner,
    needs: ['certificatesigningrequests'],
  },
  {
    name: 'legacy-serviceaccount-token-cleaner-controller',
    start: legacyTokenCleaner,
    needs: ['serviceaccounts', 'secrets', 'pods', 'configmaps'],
  },
  { name: 'ttl-after-finished-controller', start: ttlAfterFinished, needs: ['jobs'] },
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

export const controllerNames = [...managed.map(({ name }) => name), ...workloadControllerNames, 'workloads'];

/**
 * Starts the enabled controllers of kube-controller-manager and the APIService controllers of kube-apiserver. `identity`
 * distinguishes the servers that share a store: most controllers run on one of them.
 */
export function startControllers(context: ControllerContext, identity: string, custom?: CustomApi): RunningController {
  const isServed = (plural: string) => context.resources.some(({ names }) => names.plural === plural);
  const enabled = managed.filter(({ name, needs = [] }) => isEnabled(name, context) && needs.every(isServed));
  const [local, elected] = [enabled.filter(isLocal), enabled.filter((controller) => !isLocal(controller))];
  const controllers = local.map(({ start }) => start(context));
  if (isServed('apiservices')) controllers.push(apiServiceController(context, custom));
  if (['apiservices', 'services', 'endpointslices'].every(isServed)) controllers.push(apiServiceAvailability(context));
  if (isShared(context) && isServed('leases')) controllers.push(runOnOneServer(context, identity, elected));
  else controllers.push(...elected.map(({ start }) => start(context)), startSimulation(context));
  return all(controllers);
}

function runOnOneServer(context: ControllerContext, identity: string, managed: readonly ManagedController[]): RunningController {
  const controllers: ElectedController[] = [
    ...managed.map(({ name, start }) => ({ name, start: () => start(context) })),
    ...simulationParts(context).map(({ name, ...part }) => ({ name, start: () => startSimulation(context, part) })),
  ];
  return controllers.length === 0 ? all([]) : runElected(context, { identity, controllers });
}

function isLocal({ isOnEveryServer }: ManagedController): boolean {
  return isOnEveryServer === true;
}

function all(controllers: readonly RunningController[]): RunningController {
  return {
    async stop() {
      await Promise.all(controllers.map((controller) => controller.stop()));
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
