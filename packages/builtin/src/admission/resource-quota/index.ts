import type { AdmissionAttributes, AdmissionPlugin } from '@tsukube/apiserver';
import type { PluginContext } from '../common/plugin.ts';
import { QuotaCharging } from './charging.ts';
import { limitedResources } from './configuration.ts';
import { type Evaluator, EvaluatorRegistry } from './evaluator.ts';
import { persistentVolumeClaimEvaluator } from './persistent-volume-claim-evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { QuotaReader, usageUpdates } from './quota-state.ts';
import { type ClaimSources, resourceClaimEvaluator } from './resource-claim-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

export { type Evaluator, EvaluatorRegistry, type ObjectUsage, objectCountName } from './evaluator.ts';
export { addTo, parseResourceList, type ResourceList, resourceListObject } from './resource-list.ts';
export { isInScope, type ScopeRequirement, scopeRequirementsOf } from './scopes.ts';

/** The evaluators of all resources. */
export function quotaEvaluators(sources: ClaimSources): EvaluatorRegistry {
  return new EvaluatorRegistry([
    podEvaluator(sources.now),
    serviceEvaluator,
    persistentVolumeClaimEvaluator,
    resourceClaimEvaluator(sources),
  ]);
}

/** ResourceQuota: refuses writes that exceed the quotas of their namespace, and charges the others to them. */
export function resourceQuotaAdmission({ registryOf, cacheOf, configurationOf, now }: PluginContext): AdmissionPlugin {
  const limited = limitedResources(configurationOf('ResourceQuota'));
  const registry = registryOf('', 'resourcequotas');
  if (!registry) return { name: 'ResourceQuota' };
  const evaluators = quotaEvaluators({
    now,
    pods: cacheOf('', 'pods'),
    claims: cacheOf('resource.k8s.io', 'resourceclaims'),
    deviceClasses: cacheOf('resource.k8s.io', 'deviceclasses'),
  });
  const quotas = new QuotaReader(registry.cache);
  const charging = new QuotaCharging(quotas, usageUpdates(registry), limited, registry.random);

  const freshFor = (evaluator: Evaluator): Promise<unknown> | undefined => {
    const waiting = quotas.fresh();
    const sources = evaluator.fresh?.();
    return waiting && sources ? Promise.all([waiting, sources]) : (waiting ?? sources);
  };
  /** Without a promise if no quota counts the resource. */
  const evaluate = (attributes: AdmissionAttributes, evaluator: Evaluator): void | Promise<void> => {
    const { namespace } = attributes;
    const isCounted =
      limited.length > 0 ||
      (!quotas.isEmpty(namespace) && quotas.read(namespace).some(({ names }) => evaluator.matchingResources(names).length > 0));
    if (isCounted && evaluator.handles(attributes)) return charging.charge(attributes, evaluator);
  };
  return {
    name: 'ResourceQuota',
    validate(attributes) {
      const { operation, resource, namespace } = attributes;
      if (namespace === '' || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
      const evaluator = evaluators.of(resource);
      if (!evaluator || (evaluator.isCount && operation === 'UPDATE')) return;
      const waiting = freshFor(evaluator);
      return waiting ? waiting.then(() => evaluate(attributes, evaluator)) : evaluate(attributes, evaluator);
    },
  };
}
