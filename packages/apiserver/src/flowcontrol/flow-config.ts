/** A PriorityLevelConfiguration, as far as it matters here. */
export interface LevelConfig {
  readonly name: string;
  readonly uid: string;
  readonly response: LimitResponse;
  readonly shares: number;
  readonly lendablePercent: number;
  /** Absent: as much as there is. */
  readonly borrowingLimitPercent: number | undefined;
}

export type LimitResponse =
  | { readonly to: 'exempt' }
  | { readonly to: 'reject' }
  | { readonly to: 'queue'; readonly queues: number; readonly handSize: number; readonly lengthLimit: number };

/** A FlowSchema, as far as it matters here. */
export interface SchemaConfig {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly precedence: number;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly rules: readonly FlowRule[];
}

export interface FlowRule {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules: readonly ResourceRule[];
  readonly pathRules: readonly PathRule[];
}

export type FlowSubject =
  | { readonly kind: 'User'; readonly name: string }
  | { readonly kind: 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string };

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusterScope: boolean;
}

export interface PathRule {
  readonly verbs: readonly string[];
  readonly paths: readonly string[];
}
