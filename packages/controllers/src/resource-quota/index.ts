import type { ObjectCache } from '@tsukube/apiserver';
import { type EvaluatorRegistry, quotaEvaluators } from '@tsukube/builtin';
import type { Change } from '@tsukube/storage';
import { type ControllerContext, type RunningController, registryNamed } from '../controller.ts';
import { resourceMapper } from '../garbage-collector/owners.ts';
import { type QuotaChange, QuotaIndex } from './quota-index.ts';
import { Recounts, settleMs } from './recounts.ts';
import { UsageCounter } from './usage-counter.ts';

/** A charge is counted again: its write may have failed. */
const afterChargeMs = 10_000;
const resyncMs = 5 * 60_000;
/** Poll interval for added and removed resources. */
const resourcesMs = 1000;

/**
 * Recounts the usage in the status of ResourceQuotas: at once for new quotas and limits, and soon after objects are deleted or
 * changed. Writes in namespaces without quotas cost the lookup of their namespace.
 */
export function resourceQuotaController(context: ControllerContext): RunningController {
  const registry = registryNamed(context, 'resourcequotas');
  const evaluators = evaluatorsOf(context);
  const recounts = new Recounts(registry, () => quotas, new UsageCounter(context, evaluators), context.logger);
  const onQuota = (namespace: string, change: QuotaChange): void => {
    if (change === 'incomplete') recounts.countNow(namespace);
    recounts.countAfter(namespace, change === 'charged' ? afterChargeMs : settleMs);
  };
  const quotas = new QuotaIndex(registry, onQuota);
  const countAll = () => {
    for (const namespace of quotas.namespaces) recounts.countAfter(namespace, settleMs);
  };

  const onChange = changeListener(context, quotas, evaluators, (namespace) => recounts.countAfter(namespace, settleMs));
  const unlisten = context.feed.listen({
    prefix: context.storePrefix,
    onChanges(changes) {
      if (!quotas.isEmpty) for (const change of changes) onChange(change);
    },
    onGap: countAll,
  });
  const resync = setInterval(countAll, resyncMs).unref();
  const stopPolling = onNewResources(context, () => {
    for (const namespace of quotas.namespaces)
      if (quotas.in(namespace).some(({ isComplete }) => !isComplete)) recounts.countAfter(namespace, settleMs);
  });
  return {
    stop() {
      clearInterval(resync);
      stopPolling();
      quotas.stop();
      unlisten();
      recounts.stop();
    },
  };
}

function evaluatorsOf({ resources, registryOf, now }: ControllerContext): EvaluatorRegistry {
  const cacheOf = (group: string, plural: string): ObjectCache | undefined => {
    const found = resources.find(({ names, hub }) => names.plural === plural && hub.group === group);
    return found && registryOf(found)?.cache;
  };
  const claims = cacheOf('resource.k8s.io', 'resourceclaims');
  return quotaEvaluators({ now, pods: cacheOf('', 'pods'), claims, deviceClasses: cacheOf('resource.k8s.io', 'deviceclasses') });
}

/** Creates are charged by admission; deletes and updates may change usage. */
function changeListener(
  context: ControllerContext,
  quotas: QuotaIndex,
  evaluators: EvaluatorRegistry,
  onUsage: (namespace: string) => void,
): (change: Change) => void {
  const mapper = resourceMapper(context);
  return ({ type, entry }) => {
    const isDelete = type === 'delete';
    if (!isDelete && entry.created === entry.revision) return;
    const namespace = parentSegment(entry.key);
    if (!quotas.has(namespace)) return;
    const resource = mapper.ofKey(entry.key)?.resource;
    const evaluator = resource && evaluators.of(resource);
    if (evaluator && (isDelete || !evaluator.isCount) && quotas.counts(namespace, evaluator)) onUsage(namespace);
  };
}

/** The last segment but one of a key: the namespace of a namespaced object. */
function parentSegment(key: string): string {
  const end = key.lastIndexOf('/');
  return key.slice(key.lastIndexOf('/', end - 1) + 1, end);
}

function onNewResources(context: ControllerContext, onChange: () => void): () => void {
  let { resources } = context;
  const timer = setInterval(() => {
    if (resources === context.resources) return;
    resources = context.resources;
    onChange();
  }, resourcesMs).unref();
  return () => clearInterval(timer);
}
