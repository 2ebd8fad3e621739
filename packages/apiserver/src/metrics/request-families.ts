import { exponentialBounds } from './histogram.ts';
import type { Registry } from './registry.ts';

export const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliBounds = durationBounds.filter((bound) => bound >= 0.05);

const subject = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const groupVersionResource = ['group', 'version', 'resource'] as const;

export type RequestFamilies = ReturnType<typeof requestFamilies>;

/** What is measured of requests, with kube-apiserver's names, labels and buckets. */
export function requestFamilies(registry: Registry) {
  return {
    total: registry.counter({
      name: 'apiserver_request_total',
      help: '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
      labels: [...subject, 'dry_run', 'code'],
    }),
    duration: registry.histogram({
      name: 'apiserver_request_duration_seconds',
      help: '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
      labels: [...subject, 'dry_run'],
      bounds: durationBounds,
    }),
    sliDuration: registry.histogram({
      name: 'apiserver_request_sli_duration_seconds',
      help: '[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
      labels: subject,
      bounds: sliBounds,
    }),
    responseSizes: registry.histogram({
      name: 'apiserver_response_sizes',
      help: '[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
      labels: subject,
      bounds: exponentialBounds(1000, 10, 7),
    }),
    deprecated: registry.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: '[STABLE] Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
      labels: [...groupVersionResource, 'subresource', 'removed_release'],
    }),
    longRunning: registry.gauge({
      name: 'apiserver_longrunning_requests',
      help: '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
      labels: subject,
    }),
    terminations: registry.counter({
      name: 'apiserver_request_terminations_total',
      help: '[ALPHA] Number of requests which apiserver terminated in self-defense.',
      labels: [...subject, 'code'],
    }),
    watchEvents: registry.counter({
      name: 'apiserver_watch_events_total',
      help: '[ALPHA] Number of events sent in watch clients',
      labels: groupVersionResource,
    }),
    watchEventSizes: registry.histogram({
      name: 'apiserver_watch_events_sizes',
      help: '[ALPHA] Watch event size distribution in bytes',
      labels: groupVersionResource,
      bounds: exponentialBounds(1024, 2, 8),
    }),
  };
}
