import type { GroupResource } from '@tsukube/client';
import type { LabelSelector } from '@tsukube/sdk';

/** A metric of the objects of a resource. */
export interface CustomMetric extends GroupResource {
  readonly metric: string;
  /** Whether the objects are in namespaces. */
  readonly namespaced: boolean;
}

export interface CustomMetricQuery extends CustomMetric {
  /** Of the objects; undefined for objects of the cluster. */
  readonly namespace: string | undefined;
  /** At least one. They exist, unless a single one was asked for by its name. */
  readonly names: readonly string[];
  /** Selects series of the metric by their labels. */
  readonly selector: LabelSelector;
  readonly signal: AbortSignal;
}

/** A value at a time. */
export interface Measurement {
  /** A quantity: `10`, `500m`. */
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  /** Length of the window from which a rate was computed. */
  readonly windowSeconds?: number | undefined;
}

export interface CustomMetricValue extends Measurement {
  /** Of the object. */
  readonly name: string;
}

export interface ExternalMetricQuery {
  readonly metric: string;
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly signal: AbortSignal;
}

export interface ExternalMetricValue extends Measurement {
  readonly labels: Readonly<Record<string, string>>;
}

/** Where values come from. An error that is not a StatusError is answered with 500, and its message goes to the log. */
export interface MetricsProvider {
  /** The metrics that discovery lists. Must answer from memory. */
  customMetrics(): readonly CustomMetric[];
  /** The values for these objects. Those without a value are left out. */
  customValues(query: CustomMetricQuery): Promise<readonly CustomMetricValue[]>;
  /** The names that discovery lists. Must answer from memory. */
  externalMetrics(): readonly string[];
  /** One value for each series; empty if there are none. */
  externalValues(query: ExternalMetricQuery): Promise<readonly ExternalMetricValue[]>;
  /** Why no values can be read; undefined if they can. */
  problem?(): string | undefined;
  close?(): void;
}
