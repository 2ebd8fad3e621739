import type { IncomingRequest } from '../http/api-request.ts';
import type { Registry } from './registry.ts';
import { type RequestFamilies, requestFamilies } from './request-families.ts';
import {
  type DryRun,
  dryRunOf,
  pathLabels,
  type ReportedVerb,
  reportedVerb,
  reportedVerbs,
  resourceLabels,
  type Scope,
  type ServedSubjects,
  type Subject,
  scopeOf,
} from './request-labels.ts';
import { RequestSeries } from './request-series.ts';

const scopes: readonly Scope[] = ['', 'cluster', 'namespace', 'resource'];
const dryRuns: readonly DryRun[] = ['', 'All', 'invalid'];

const unknownResource: Subject = { group: '', version: '', resource: '', subresource: '', component: 'apiserver' };

/** Finds the series a request counts in, by what it asks for. */
export class RequestMetrics {
  readonly #families: RequestFamilies;
  readonly #served: () => ServedSubjects;
  /** For each subject the series by verb, scope and dry run, at a place made of their numbers. */
  readonly #series = new WeakMap<Subject, RequestSeries[]>();

  /** `served` are the resources there are now; requests for others are counted without a name. */
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

  #subjectOf({ info, path }: IncomingRequest): Subject {
    return info.isResource ? (resourceLabels(this.#served(), info) ?? unknownResource) : pathLabels(path);
  }

  #make(subject: Subject, verb: ReportedVerb, scope: Scope, dryRun: DryRun, at: number): RequestSeries {
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
