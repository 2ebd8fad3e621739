import {
  checkPolicyTypes,
  decodeObject,
  follow,
  nameOfKey,
  type ObjectRegistry,
  settleRaces,
  WorkQueue,
} from '@tsukube/apiserver';
import { apiVersionOf, type JsonObject, metadataOf, numberIn, objectIn } from '@tsukube/machinery';
import { type ControllerContext, ignoreNotFound, type RunningController, registryNamed, writeAs } from './controller.ts';

const manager = 'validatingadmissionpolicy-status';

/** Type-checks ValidatingAdmissionPolicies and writes the warnings to their status. */
export function policyStatusController(context: ControllerContext): RunningController {
  const policies = registryNamed(context, 'validatingadmissionpolicies');
  const reconcile = async (name: string): Promise<void> => {
    const entry = await policies.cache.get(policies.key('', name));
    if (!entry) return;
    const policy = decodeObject(entry.value);
    const { generation = 0 } = metadataOf(policy) as { generation?: number };
    if (generation <= numberIn(objectIn(policy, 'status') ?? {}, 'observedGeneration')) return;
    // Type names in messages are unique.
    const suffix = String((context.now() % 1000) * 1_000_000);
    const warnings = await checkPolicyTypes(policy, context.resources, suffix);
    const typeChecking: JsonObject = {};
    if (warnings.length > 0) typeChecking.expressionWarnings = warnings.map((warning) => ({ ...warning }));
    await ignoreNotFound(applyStatus(policies, name, { observedGeneration: generation, typeChecking }));
  };
  const queue = new WorkQueue((name) => settleRaces(() => reconcile(name)), context.logger);
  const stop = follow(policies.cache, (entry) => queue.add(nameOfKey(policies.resource, entry.key).name));
  return {
    stop() {
      queue.stop();
      stop();
    },
  };
}

async function applyStatus(policies: ObjectRegistry, name: string, status: JsonObject): Promise<void> {
  const configuration = {
    apiVersion: apiVersionOf(policies.resource.hub),
    kind: policies.resource.names.kind,
    metadata: { name },
    status,
  };
  const writing = { ...writeAs(policies, '', 'status'), fieldManager: manager };
  await policies.apply(name, { configuration, force: true, complete: (merged) => merged }, writing);
}
