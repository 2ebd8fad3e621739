import { deepEqual, goQuote, type JsonObject, type KubeObject, metadataOf, StatusError } from '@tsukube/machinery';
import { runtimeCostBudget } from '@tsukube/machinery/cel';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { forbiddenByAdmission } from '../../registry/admission-attributes.ts';
import type { ObjectRegistry } from '../../registry/object-registry.ts';
import type { ServedVersion } from '../../registry/resource.ts';
import { ExpressionRun, matchConditionMetrics, OutOfBudget, RequestAuthorizer } from '../cel/index.ts';
import { matchedVersion } from '../matching/match-criteria.ts';
import { replaceObject, type VersionedAttributes, versionedAttributes } from '../versioned-attributes.ts';
import { isExempt, type MatchedHook, matchedHooks, namespaceOf } from './matched-policies.ts';
import { type PolicyRecorder, policyErrorType, policyMetrics } from './metrics.ts';
import { compileMutatingPolicy, type MutatingEvaluator, type Mutation } from './mutating-evaluator.ts';
import { ConfigurationProblem, collectParams, paramRegistry } from './params.ts';
import { applyConfiguration, applyJsonPatch, MutationFailed } from './patches.ts';
import { type Policy, type PolicyBinding, type PolicyHook, policySource } from './policy-source.ts';
import { PolicyReinvocation } from './reinvocation.ts';
import type { PolicyPluginParts } from './validating-policy.ts';

const pluginName = 'MutatingAdmissionPolicy';

/** MutatingAdmissionPolicy: changes objects by expressions. */
export function mutatingPolicyPlugin(parts: PolicyPluginParts): AdmissionPlugin {
  const metricsOf = matchConditionMetrics(parts.metrics);
  const record = policyMetrics(parts.metrics, 'apiserver_mutating_admission_policy', ['policy', 'policy_binding', 'error_type']);
  // Kubernetes counts the conditions of mutating policies as `validate` too.
  const source = policySource(parts, (spec, name) =>
    compileMutatingPolicy(spec, metricsOf({ name, kind: 'policy', type: 'validate' })),
  );
  const match = (hooks: readonly PolicyHook<MutatingEvaluator>[], attributes: AdmissionAttributes): void | Promise<void> => {
    if (hooks.length === 0) return;
    const matched = matchedHooks(hooks, attributes, parts.namespaces);
    if (matched instanceof Promise) return matched.then((found) => new Dispatch(attributes, parts, record).run(found));
    if (matched.length > 0) return new Dispatch(attributes, parts, record).run(matched);
  };
  return {
    name: pluginName,
    mutate(attributes) {
      if (attributes.operation === 'DELETE' || isExempt(attributes)) return;
      const hooks = source.hooks();
      return hooks instanceof Promise ? hooks.then((found) => match(found, attributes)) : match(hooks, attributes);
    },
  };
}

/** A policy with a binding and a parameter. */
interface Invocation {
  readonly policy: Policy<MutatingEvaluator>;
  readonly binding: PolicyBinding;
  readonly version: ServedVersion;
  readonly params: JsonObject | null;
  /** Identifies it between the first and the second run. */
  readonly key: string;
}

interface PolicyFailure {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  /** Not known for configurations that cannot be used. */
  readonly reason?: 'Invalid';
}

/** The invocation of all matching policies for one request. */
class Dispatch {
  readonly #attributes: AdmissionAttributes;
  readonly #parts: PolicyPluginParts;
  readonly #record: PolicyRecorder;
  readonly #authorizer: RequestAuthorizer;
  readonly #reinvocation: PolicyReinvocation;
  readonly #failures: PolicyFailure[] = [];

  constructor(attributes: AdmissionAttributes, parts: PolicyPluginParts, record: PolicyRecorder) {
    this.#attributes = attributes;
    this.#parts = parts;
    this.#record = record;
    this.#authorizer = new RequestAuthorizer(parts.authorizer, attributes.user);
    this.#reinvocation = PolicyReinvocation.of(attributes, pluginName);
  }

  async run(hooks: readonly MatchedHook<MutatingEvaluator>[]): Promise<void> {
    const invocations: Invocation[] = [];
    for (const hook of hooks) invocations.push(...(await this.#invocations(hook)));
    if (invocations.length > 0) await this.#invokeAll(invocations);
    if (this.#failures.length > 0) throw refusal(this.#failures, this.#attributes);
  }

  async #invocations(hook: MatchedHook<MutatingEvaluator>): Promise<readonly Invocation[]> {
    const { policy, bindings, version } = hook;
    const { effort } = this.#attributes;
    if (policy.isHeavy && effort) throw effort.exceeded();
    const found: Invocation[] = [];
    try {
      const registry = policy.paramKind && paramRegistry(policy.paramKind, this.#parts.registryOfKind);
      for (const binding of bindings) {
        for (const params of await this.#params(policy, binding, registry)) {
          const { namespace = '', name = '' } = params ? metadataOf(params) : {};
          found.push({
            policy,
            binding,
            version,
            params: visibleParams(params, registry),
            key: JSON.stringify([policy.name, binding.name, namespace, name]),
          });
        }
      }
    } catch (error) {
      this.#misconfigured(error, policy, undefined);
    }
    return found;
  }

  async #params(
    policy: Policy<MutatingEvaluator>,
    binding: PolicyBinding,
    registry: ObjectRegistry | undefined,
  ): Promise<readonly (JsonObject | null)[]> {
    const { namespaces } = this.#parts;
    if (binding.criteria && !(await matchedVersion(binding.criteria, this.#attributes, namespaces))) return [];
    try {
      return await collectParams(policy.paramKind, registry, binding.paramRef, this.#attributes.namespace);
    } catch (error) {
      this.#misconfigured(error, policy, binding);
      return [];
    }
  }

  #misconfigured(error: unknown, policy: Policy<MutatingEvaluator>, binding: PolicyBinding | undefined): void {
    if (!(error instanceof ConfigurationProblem)) throw error;
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${error.message}`;
    this.#fail({ policy: policy.name, binding: binding?.name, message }, policy);
  }

  #fail(failure: PolicyFailure, { failurePolicy }: Policy<MutatingEvaluator>): void {
    if (failurePolicy !== 'Ignore') this.#failures.push(failure);
  }

  async #invokeAll(invocations: readonly Invocation[]): Promise<void> {
    const attributes = this.#attributes;
    this.#reinvocation.begin(attributes);
    const namespace = await namespaceOf(attributes, this.#parts.namespaces);
    for (const invocation of invocations) await this.#invoke(invocation, namespace);
    this.#reinvocation.end(attributes);
  }

  async #invoke(invocation: Invocation, namespace: KubeObject | null): Promise<void> {
    const { policy, binding, version, params, key } = invocation;
    const attributes = this.#attributes;
    const { reinvocation } = attributes;
    const versioned = await versionedAttributes(attributes, version);
    const matched = await policy.evaluator.conditions.evaluate(versioned, { authorizer: this.#authorizer, params });
    if ('error' in matched)
      return this.#fail({ policy: policy.name, binding: binding.name, message: matched.error, reason: 'Invalid' }, policy);
    if (!matched.matches || (reinvocation.isReinvocation && !this.#reinvocation.shouldReinvoke(key))) return;
    const before = { ...attributes.object };
    if (attributes.object) for (const mutation of policy.evaluator.mutations) await this.#mutate(mutation, invocation, namespace);
    if (!deepEqual(before, { ...attributes.object })) {
      this.#reinvocation.requireReinvocation();
      reinvocation.isRequested = true;
    }
    if (policy.evaluator.isReinvoked) this.#reinvocation.invoked(key);
  }

  /** A failed mutation does not prevent the next ones. */
  async #mutate(mutation: Mutation, invocation: Invocation, namespace: KubeObject | null): Promise<void> {
    const { policy, binding, version } = invocation;
    const began = performance.now();
    const observe = (type: string) =>
      this.#record({ policy: policy.name, policy_binding: binding.name, error_type: type }, performance.now() - began);
    try {
      const versioned = await versionedAttributes(this.#attributes, version);
      await replaceObject(versioned, await this.#patched(mutation, invocation, versioned, namespace));
      observe('no_error');
    } catch (error) {
      const isFailure = error instanceof MutationFailed || error instanceof OutOfBudget;
      if (isFailure || error instanceof StatusError) observe(policyErrorType(error.message));
      if (!isFailure) throw error;
      this.#fail({ policy: policy.name, binding: binding.name, message: error.message, reason: 'Invalid' }, policy);
    }
  }

  /** The object after the mutation, in the version of the policy. */
  async #patched(
    { patchType, expression }: Mutation,
    { policy, version, params }: Invocation,
    versioned: VersionedAttributes,
    namespace: KubeObject | null,
  ): Promise<JsonObject> {
    if (expression.error !== undefined) throw new MutationFailed(expression.error);
    const inputs = { versioned, resourceVersion: version, params, namespace, authorizer: this.#authorizer };
    const run = new ExpressionRun(inputs, runtimeCostBudget, policy.evaluator.composition);
    const [outcome] = await run.evaluateAll([expression]);
    if (!outcome?.ok) throw new MutationFailed(outcome?.error ?? '');
    const object = versioned.object as JsonObject;
    const schema = this.#attributes.body?.schema ?? version.schema;
    const apply = patchType === 'JSONPatch' ? applyJsonPatch : applyConfiguration;
    return apply(object, outcome.value, schema);
  }
}

/** As in Kubernetes, parameters of built-in kinds have no kind and apiVersion here. */
function visibleParams(params: JsonObject | null, registry: ObjectRegistry | undefined): JsonObject | null {
  if (!params || registry?.resource.hub.schema.form) return params;
  const { kind, apiVersion, ...rest } = params;
  return rest;
}

/** The first failure gives the message and the reason; all of them are causes. */
function refusal(failures: readonly PolicyFailure[], attributes: AdmissionAttributes): StatusError {
  const messages = failures.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy ${goQuote(policy)} denied request: ${message}`
      : `policy '${policy}' with binding '${binding}' denied request: ${message}`,
  );
  const { status } = forbiddenByAdmission(attributes, '');
  return new StatusError({
    ...status,
    message: messages[0] ?? '',
    reason: failures[0]?.reason ?? 'Forbidden',
    details: { ...status.details, causes: messages.map((message) => ({ message })) },
  });
}
