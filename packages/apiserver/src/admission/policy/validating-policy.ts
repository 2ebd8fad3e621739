import { type KubeObject, StatusError, type StatusReason, stringifyJson } from '@tsukube/machinery';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { AdmissionAttributes, AdmissionPlugin, PluginMetrics } from '../../registry/admission.ts';
import { forbiddenByAdmission } from '../../registry/admission-attributes.ts';
import type { ObjectRegistry } from '../../registry/object-registry.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { matchConditionMetrics, RequestAuthorizer } from '../cel/index.ts';
import { matchedVersion } from '../matching/match-criteria.ts';
import { versionedAttributes } from '../versioned-attributes.ts';
import { isExempt, type MatchedHook, matchedHooks, namespaceOf } from './matched-policies.ts';
import { type PolicyRecorder, policyErrorType, policyMetrics } from './metrics.ts';
import { ConfigurationProblem, collectParams, paramRegistry, type RegistryOfKind } from './params.ts';
import { type PolicyBinding, type PolicyCaches, type PolicyHook, policySource } from './policy-source.ts';
import { type AnnotationDecision, decide, type PolicyDecision } from './validating-decisions.ts';
import { compileValidatingPolicy, type ValidatingEvaluator } from './validating-evaluator.ts';

export interface PolicyPluginParts extends PolicyCaches {
  /** Undefined if Namespaces are not served. */
  readonly namespaces: ObjectCache | undefined;
  readonly registryOfKind: RegistryOfKind;
  readonly authorizer: Authorizer;
  readonly metrics: PluginMetrics;
}

/** ValidatingAdmissionPolicy: rejects, audits or warns about writes that violate expressions. */
export function validatingPolicyPlugin(parts: PolicyPluginParts): AdmissionPlugin {
  const metricsOf = matchConditionMetrics(parts.metrics);
  const labels = ['policy', 'policy_binding', 'error_type', 'enforcement_action'];
  const record = policyMetrics(parts.metrics, 'apiserver_validating_admission_policy', labels);
  const source = policySource(parts, (spec, name) =>
    compileValidatingPolicy(spec, metricsOf({ name, kind: 'policy', type: 'validate' })),
  );
  const match = (hooks: readonly PolicyHook<ValidatingEvaluator>[], attributes: AdmissionAttributes): void | Promise<void> => {
    if (hooks.length === 0) return;
    const matched = matchedHooks(hooks, attributes, parts.namespaces);
    if (matched instanceof Promise) return matched.then((found) => new Dispatch(attributes, parts, record).run(found));
    if (matched.length > 0) return new Dispatch(attributes, parts, record).run(matched);
  };
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(attributes) {
      if (isExempt(attributes)) return;
      const hooks = source.hooks();
      return hooks instanceof Promise ? hooks.then((found) => match(found, attributes)) : match(hooks, attributes);
    },
  };
}

interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** The evaluation of all matching policies for one request. */
class Dispatch {
  readonly #attributes: AdmissionAttributes;
  readonly #parts: PolicyPluginParts;
  readonly #record: PolicyRecorder;
  readonly #authorizer: RequestAuthorizer;
  readonly #denials: Denial[] = [];
  #namespace: Promise<KubeObject | null> | undefined;

  constructor(attributes: AdmissionAttributes, parts: PolicyPluginParts, record: PolicyRecorder) {
    this.#attributes = attributes;
    this.#parts = parts;
    this.#record = record;
    this.#authorizer = new RequestAuthorizer(parts.authorizer, attributes.user);
  }

  async run(hooks: readonly MatchedHook<ValidatingEvaluator>[]): Promise<void> {
    for (const hook of hooks) await this.#policy(hook);
    const [first] = this.#denials;
    if (first) throw refusal(first, this.#attributes);
  }

  async #policy(hook: MatchedHook<ValidatingEvaluator>): Promise<void> {
    const { policy, bindings } = hook;
    const { effort } = this.#attributes;
    if (policy.isHeavy && effort) throw effort.exceeded();
    const published = new PublishedAnnotations();
    try {
      const registry = policy.paramKind && paramRegistry(policy.paramKind, this.#parts.registryOfKind);
      for (const binding of bindings) await this.#binding(hook, binding, registry, published);
    } catch (error) {
      this.#misconfigured(error, hook, undefined);
    }
    published.publish(policy.name, this.#attributes);
  }

  async #binding(
    hook: MatchedHook<ValidatingEvaluator>,
    binding: PolicyBinding,
    registry: ObjectRegistry | undefined,
    published: PublishedAnnotations,
  ): Promise<void> {
    const { policy, version } = hook;
    const attributes = this.#attributes;
    const { namespaces } = this.#parts;
    if (binding.criteria && !(await matchedVersion(binding.criteria, attributes, namespaces))) return;
    const found = collectParams(policy.paramKind, registry, binding.paramRef, attributes.namespace);
    const params = await found.catch((error: unknown) => {
      this.#misconfigured(error, hook, binding);
      return [];
    });
    if (params.length === 0) return;
    const versioned = await versionedAttributes(attributes, version);
    this.#namespace ??= namespaceOf(attributes, namespaces);
    const namespace = await this.#namespace;
    for (const each of params) {
      const { failurePolicy, evaluator } = policy;
      const inputs = { versioned, params: each, namespace, authorizer: this.#authorizer, failurePolicy };
      const { decisions, annotations } = await decide(evaluator, inputs);
      for (const [i, decision] of decisions.entries()) this.#enforce(decision, i, policy.name, binding);
      for (const annotation of annotations) this.#annotate(annotation, policy.name, binding, published);
    }
  }

  /** A configuration that cannot be used denies the request, unless the policy ignores failures. */
  #misconfigured(error: unknown, { policy }: PolicyHook<ValidatingEvaluator>, binding: PolicyBinding | undefined): void {
    if (!(error instanceof ConfigurationProblem)) throw error;
    if (policy.failurePolicy === 'Ignore') return;
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${error.message}`;
    this.#denials.push({ policy: policy.name, binding: binding?.name, message, reason: '' });
  }

  #enforce(decision: PolicyDecision, index: number, policy: string, binding: PolicyBinding): void {
    const type = decision.evaluation === 'admit' ? 'no_error' : policyErrorType(decision.message);
    const observe = (action: string) =>
      this.#record({ policy, policy_binding: binding.name, error_type: type, enforcement_action: action }, decision.milliseconds);
    if (decision.action === 'admit') {
      if (decision.evaluation === 'error') observe('allow');
      return;
    }
    for (const action of binding.validationActions) {
      this.#act(action, decision, index, policy, binding);
      observe(action.toLowerCase());
    }
  }

  #act(action: string, { message, reason }: PolicyDecision, index: number, policy: string, binding: PolicyBinding): void {
    const { annotate, warn } = this.#attributes;
    if (action === 'Deny') this.#denials.push({ policy, binding: binding.name, message, reason });
    else if (action === 'Audit') annotate(failureAnnotation, failureText(message, index, binding));
    else if (action === 'Warn')
      warn(`Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding.name}': ${message}`);
  }

  #annotate(decision: AnnotationDecision, policy: string, binding: PolicyBinding, published: PublishedAnnotations): void {
    if (decision.action === 'publish') {
      published.add(decision.key, decision.value);
      return;
    }
    const { message, milliseconds } = decision;
    this.#denials.push({ policy, binding: binding.name, message, reason: '' });
    const labels = { policy, policy_binding: binding.name, error_type: policyErrorType(message), enforcement_action: 'deny' };
    this.#record(labels, milliseconds);
  }
}

const failureAnnotation = 'validation.policy.admission.k8s.io/validation_failure';

function failureText(message: string, expressionIndex: number, { name, policyName, validationActions }: PolicyBinding): string {
  const failure = {
    message,
    policy: policyName,
    binding: name,
    expressionIndex,
    validationActions: [...validationActions],
  };
  return stringifyJson([failure]);
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

function refusal({ policy, binding, message, reason }: Denial, attributes: AdmissionAttributes): StatusError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { status } = forbiddenByAdmission(attributes, text);
  return new StatusError({
    ...status,
    reason: (reason || 'Invalid') as StatusReason,
    code: codes[reason] ?? 422,
    details: { ...status.details, causes: [{ message: text }] },
  });
}

const maxAnnotationBytes = 10 * 1024;

/** Audit annotations of one policy. Distinct values of several bindings or parameters are joined. */
class PublishedAnnotations {
  readonly #values = new Map<string, string[]>();

  add(key: string, value: string): void {
    const cut =
      Buffer.byteLength(value) > maxAnnotationBytes ? Buffer.from(value).toString('utf8', 0, maxAnnotationBytes) : value;
    const values = this.#values.get(key) ?? [];
    if (!values.includes(cut)) values.push(cut);
    this.#values.set(key, values);
  }

  publish(policy: string, { annotate }: AdmissionAttributes): void {
    for (const [key, values] of this.#values) annotate(`${policy}/${key}`, values.join(', '));
  }
}
