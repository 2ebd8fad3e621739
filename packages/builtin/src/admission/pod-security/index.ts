import type { AdmissionAttributes, AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import { goQuote, StatusError } from '@tsukube/machinery';
import type { PluginContext } from '../common/plugin.ts';
import { type CheckedResource, checkedResources, podTemplateOf } from './checked-resources.ts';
import { type Exemptions, type PodSecurityConfiguration, podSecurityConfiguration } from './configuration.ts';
import { type PodSecurityMetrics, podSecurityMetrics } from './metrics.ts';
import { NamespacePolicies } from './namespace-policies.ts';
import { admitNamespace } from './namespaces.ts';
import { exempt, isSignificantUpdate, type PodEvaluator, podSecurityEvaluator } from './pods.ts';
import { isFullyPrivileged, labelPrefix, type NamespacePolicy } from './policy.ts';

/** PodSecurity: enforces the pod security standards that the labels of a namespace choose. */
export function podSecurity(context: PluginContext): AdmissionPlugin {
  const configuration = podSecurityConfiguration(context.configurationOf('PodSecurity'));
  const [namespaces, pods] = [context.cacheOf('', 'namespaces'), context.cacheOf('', 'pods')];
  const existing = pods && { pods, exemptRuntimeClasses: configuration.exemptions.runtimeClasses, now: context.now };
  const admission = namespaces && new PodAdmission(namespaces, configuration, podSecurityMetrics(context.metrics));
  return {
    name: 'PodSecurity',
    validate(attributes) {
      const { resource, operation, subresource } = attributes;
      const checked = checkedResources.get(resource.names.plural);
      if (!checked || checked.group !== resource.hub.group || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
      if (checked.is === 'pod') return ignoredSubresources.has(subresource) ? undefined : admission?.admit(attributes, checked);
      if (subresource !== '') return;
      if (checked.is === 'namespace') return admitNamespace(attributes, configuration, existing);
      return admission?.admit(attributes, checked);
    },
  };
}

/** Subresources of pods whose requests cannot change the spec. */
const ignoredSubresources = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/** Admission of pods, and of workloads with templates of pods. */
class PodAdmission {
  readonly #exemptions: Exemptions;
  readonly #policies: NamespacePolicies;
  readonly #metrics: PodSecurityMetrics;
  readonly #evaluate: PodEvaluator;

  constructor(namespaces: ObjectCache, configuration: PodSecurityConfiguration, metrics: PodSecurityMetrics) {
    this.#exemptions = configuration.exemptions;
    this.#policies = new NamespacePolicies(namespaces, configuration.defaults);
    this.#metrics = metrics;
    this.#evaluate = podSecurityEvaluator(configuration, metrics);
  }

  admit(attributes: AdmissionAttributes, checked: CheckedResource): void | Promise<void> {
    const { namespace, user } = attributes;
    if (this.#exemptions.namespaces.has(namespace)) return exempt(attributes, 'namespace', this.#metrics);
    if (this.#exemptions.usernames.has(user.name)) return exempt(attributes, 'user', this.#metrics);
    const found = this.#policies.of(namespace);
    const act = (policy: NamespacePolicy | undefined): void => {
      if (!policy) this.#failWithoutNamespace(attributes, checked);
      else if (checked.is === 'pod') this.#admitPod(attributes, policy, checked);
      else this.#admitWorkload(attributes, policy, checked);
    };
    return found instanceof Promise ? found.then(act) : act(found);
  }

  #admitPod(attributes: AdmissionAttributes, found: NamespacePolicy, checked: CheckedResource): void {
    const { operation, object, oldObject, annotate } = attributes;
    if (found.errors.length === 0 && isFullyPrivileged(found.policy)) {
      this.#metrics.evaluated('allow', found.policy.enforce, 'enforce', attributes);
      annotate(`${labelPrefix}enforce-policy`, 'privileged:latest');
      return;
    }
    if (!object || (operation === 'UPDATE' && oldObject && !isSignificantUpdate(object, oldObject))) return;
    const pod = podTemplateOf(object, checked);
    if (pod) this.#evaluate(pod, found, attributes, true);
  }

  /** Workloads are not rejected: their pods are checked when they are created. */
  #admitWorkload(attributes: AdmissionAttributes, found: NamespacePolicy, checked: CheckedResource): void {
    const { warn, audit } = found.policy;
    if (found.errors.length === 0 && warn.level === 'privileged' && audit.level === 'privileged') return;
    const template = podTemplateOf(attributes.object, checked);
    if (template) this.#evaluate(template, found, attributes, false);
  }

  #failWithoutNamespace(attributes: AdmissionAttributes, { is }: CheckedResource): void {
    this.#metrics.failed(true, attributes);
    const problem = `failed to lookup namespace ${goQuote(attributes.namespace)}`;
    const error = StatusError.internalError(problem);
    const said = is === 'pod' ? error.message : problem;
    attributes.annotate(`${labelPrefix}error`, `${said}: namespaces ${goQuote(attributes.namespace)} not found`);
    if (is === 'pod') throw error;
  }
}
