import type { AdmissionAttributes, PluginMetrics } from '@tsukube/apiserver';
import { type LevelVersion, minorOf, type PolicyMode } from './policy.ts';

/** The minor version of the API server; later versions are labelled as `future`. */
const currentMinor = 36;

/** Counters under kube-apiserver's names. */
export interface PodSecurityMetrics {
  evaluated(decision: 'allow' | 'deny', policy: LevelVersion, mode: PolicyMode, attributes: AdmissionAttributes): void;
  exempted(attributes: AdmissionAttributes): void;
  /** `fatal`: the request was not evaluated. */
  failed(fatal: boolean, attributes: AdmissionAttributes): void;
}

const requestNames = ['request_operation', 'resource', 'subresource'];

export function podSecurityMetrics(metrics: PluginMetrics): PodSecurityMetrics {
  const evaluations = metrics.counter({
    name: 'pod_security_evaluations_total',
    help: '[ALPHA] Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    labels: ['decision', 'policy_level', 'policy_version', 'mode', ...requestNames],
  });
  const exemptions = metrics.counter({
    name: 'pod_security_exemptions_total',
    help: '[ALPHA] Number of exempt requests, not counting ignored or out of scope requests.',
    labels: requestNames,
  });
  const errors = metrics.counter({
    name: 'pod_security_errors_total',
    help: '[ALPHA] Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
    labels: ['fatal', ...requestNames],
  });
  // These series are exposed from the start.
  for (const request_operation of ['create', 'update']) {
    const request = { request_operation, resource: 'pod', subresource: '' };
    evaluations({ decision: 'allow', policy_level: 'privileged', policy_version: 'latest', mode: 'enforce', ...request }, 0);
    for (const resource of ['pod', 'controller']) exemptions({ ...request, resource }, 0);
  }
  return {
    evaluated: (decision, policy, mode, attributes) =>
      evaluations(
        {
          decision,
          policy_level: policy.level,
          policy_version: versionLabel(policy),
          mode,
          ...requestLabels(attributes),
        },
        1,
      ),
    exempted: (attributes) => exemptions(requestLabels(attributes), 1),
    failed: (fatal, attributes) => errors({ fatal: String(fatal), ...requestLabels(attributes) }, 1),
  };
}

function versionLabel({ level, version }: LevelVersion): string {
  if (level === 'privileged' || version === 'latest') return 'latest';
  return minorOf(version) > currentMinor ? 'future' : version;
}

function requestLabels({ operation, resource, subresource }: AdmissionAttributes) {
  const request_operation = operation === 'CREATE' ? 'create' : 'update';
  return { request_operation, resource: resource.names.plural === 'pods' ? 'pod' : 'controller', subresource };
}
