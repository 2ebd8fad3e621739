import type { Counter } from './counter.ts';
import type { Gauge } from './gauge.ts';
import type { Histogram } from './histogram.ts';
import type { RequestFamilies } from './request-families.ts';
import type { DryRun, ReportedVerb, Scope, Subject, SubjectLabels } from './request-labels.ts';

/** Everything that is measured of requests of one kind. Each series is made when it has its first value. */
export class RequestSeries {
  readonly #families: RequestFamilies;
  readonly #labels: SubjectLabels & { readonly verb: ReportedVerb; readonly scope: Scope };
  readonly #dryRun: DryRun;
  readonly #duration: Histogram;
  readonly #sliDuration: Histogram | undefined;
  readonly #sizes: Histogram | undefined;
  readonly #totals = new Map<number, Counter>();
  readonly #terminations = new Map<number, Counter>();
  #open: Gauge | undefined;

  constructor(
    families: RequestFamilies,
    { removedRelease, ...subject }: Subject,
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

  /** Only the sizes of what is read are kept. */
  sent(bytes: number): void {
    this.#sizes?.observe(bytes);
  }

  /** Long requests that are open now. */
  get open(): Gauge {
    this.#open ??= this.#families.longRunning.with(this.#labels);
    return this.#open;
  }

  /** The server ended the request to defend itself. */
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

  #total(code: number): Counter {
    const counter = this.#families.total.with({ ...this.#labels, dry_run: this.#dryRun, code: String(code) });
    this.#totals.set(code, counter);
    return counter;
  }
}

export interface WatchEventSeries {
  readonly total: Counter;
  readonly sizes: Histogram;
}
