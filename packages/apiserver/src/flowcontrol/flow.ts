import type { FlowSeries } from '../metrics/flow-control-metrics.ts';
import type { PriorityLevel } from './priority-level.ts';

/** Requests that are treated as one: of a schema, and of the same user or namespace where the schema says so. */
export interface Flow {
  readonly schema: string;
  readonly level: PriorityLevel;
  readonly distinguisher: string;
  /** The queues this flow may use. */
  readonly hand: readonly number[];
  readonly series: FlowSeries;
  /** Tell a client by which rules it was treated, without their names. */
  readonly headers: FlowHeaders;
}

export interface FlowHeaders {
  readonly 'x-kubernetes-pf-flowschema-uid': string;
  readonly 'x-kubernetes-pf-prioritylevel-uid': string;
}
