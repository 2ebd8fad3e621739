import type { IncomingRequest } from '../http/api-request.ts';
import type { Registry } from './prometheus/registry.ts';
import { type CounterSeries, exponentialBounds, type GaugeSeries, type HistogramSeries } from './prometheus/series.ts';
import {
  type DryRun,
  dryRunOf,
  pathLabels,
  type ReportedVerb,
  type ResourceLabels,
  reportedVerb,
  reportedVerbs,
  resourceLabels,
  type Scope,
  type ServedSubjects,
  type SubjectLabels,
  scopeOf,
} from './request-labels.ts';

const scopes: readonly Scope[] = ['', 'cluster', 'namespace', 'resource'];
const dryRuns: readonly DryRun[] = ['', 'All', 'invalid'];

const unknownResource: ResourceLabels = { group: '', version: '', resource: '', subresource: '', component: 'apiserver' };

/** Finds the series of a request. */
export class RequestMetrics {
  readonly #families: RequestFamilies;
  readonly #served: () => ServedSubjects;
  /** Series of a subject, indexed by verb, scope and dry run. */
  readonly #series = new WeakMap<ResourceLabels, RequestSeries[]>();

  /** `served` returns the currently served resources; other requests are counted without a resource. */
  constructor(registry: Registry, served: () => ServedSubjects) {
    this.#families = requestFamilies(registry);
    this.#served = served;
  }

  of(request: IncomingRequest): RequestSeries {
    const subject = this.#subjectOf(request);
    const verb = reportedVerb(request);
    const scope = scopeOf(request.info);
    const dryRun = dryRunOf(request);
    const at = place(verb, scope, dryRun);
    return this.#series.get(subject)?.[at] ?? this.#make(subject, verb, scope, dryRun, at);
  }

  #subjectOf({ info, path }: IncomingRequest): ResourceLabels {
    return info.isResource ? (resourceLabels(this.#served(), info) ?? unknownResource) : pathLabels(path);
  }

  #make(subject: ResourceLabels, verb: ReportedVerb, scope: Scope, dryRun: DryRun, at: number): RequestSeries {
    const series = new RequestSeries(this.#families, subject, verb, scope, dryRun);
    const known = this.#series.get(subject);
    if (known) known[at] = series;
    else this.#series.set(subject, placed(series, at));
    return series;
  }
}

function place(verb: ReportedVerb, scope: Scope, dryRun: DryRun): number {
  return (reportedVerbs.indexOf(verb) * scopes.length + scopes.indexOf(scope)) * dryRuns.length + dryRuns.indexOf(dryRun);
}

function placed(series: RequestSeries, at: number): RequestSeries[] {
  const places: RequestSeries[] = [];
  places[at] = series;
  return places;
}

/** Series for requests with the same labels, created on first use. */
export class RequestSeries {
  readonly #families: RequestFamilies;
  readonly #labels: SubjectLabels & { readonly verb: ReportedVerb; readonly scope: Scope };
  readonly #dryRun: DryRun;
  readonly #duration: HistogramSeries;
  readonly #sliDuration: HistogramSeries | undefined;
  readonly #sizes: HistogramSeries | undefined;
  readonly #totals = new Map<number, CounterSeries>();
  readonly #terminations = new Map<number, CounterSeries>();
  #open: GaugeSeries | undefined;

  constructor(
    families: RequestFamilies,
    { removedRelease, ...subject }: ResourceLabels,
    verb: ReportedVerb,
    scope: Scope,
    dryRun: DryRun,
  ) {
    const labels = { ...subject, verb, scope };
    if (removedRelease !== undefined) {
      const { group, version, resource, subresource } = subject;
      families.deprecated.with({ group, version, resource, subresource, removed_release: removedRelease }).set(1);
    }
    this.#families = families;
    this.#labels = labels;
    this.#dryRun = dryRun;
    this.#duration = families.duration.with({ ...labels, dry_run: dryRun });
    this.#sliDuration = dryRun === '' ? families.sliDuration.with(labels) : undefined;
    this.#sizes = verb === 'GET' || verb === 'LIST' ? families.responseSizes.with(labels) : undefined;
  }

  answered(code: number): void {
    (this.#totals.get(code) ?? this.#total(code)).increase();
  }

  took(seconds: number): void {
    this.#duration.observe(seconds);
    this.#sliDuration?.observe(seconds);
  }

  /** Recorded only for GET and LIST. */
  sent(bytes: number): void {
    this.#sizes?.observe(bytes);
  }

  /** Open long-running requests. */
  get open(): GaugeSeries {
    this.#open ??= this.#families.longRunning.with(this.#labels);
    return this.#open;
  }

  /** Counts a request that the server terminated in self-defense. */
  terminated(code: number): void {
    const known = this.#terminations.get(code);
    const counter = known ?? this.#families.terminations.with({ ...this.#labels, code: String(code) });
    if (!known) this.#terminations.set(code, counter);
    counter.increase();
  }

  watchEvents(): WatchEventSeries {
    const { group, version, resource } = this.#labels;
    const labels = { group, version, resource };
    return { total: this.#families.watchEvents.with(labels), sizes: this.#families.watchEventSizes.with(labels) };
  }

  #total(code: number): CounterSeries {
    const counter = this.#families.total.with({ ...this.#labels, dry_run: this.#dryRun, code: String(code) });
    this.#totals.set(code, counter);
    return counter;
  }
}

export interface WatchEventSeries {
  readonly total: CounterSeries;
  readonly sizes: HistogramSeries;
}

export const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliBounds = durationBounds.filter((bound) => bound >= 0.05);

const subject = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const groupVersionResource = ['group', 'version', 'resource'] as const;

type RequestFamilies = ReturnType<typeof requestFamilies>;

/** Request metrics with kube-apiserver's names, labels and buckets. */
function requestFamilies(registry: Registry) {
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
