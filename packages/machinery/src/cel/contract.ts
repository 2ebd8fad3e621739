import type { CostEstimate, SizeEstimator } from './cost/range.ts';
import type { CompileIssue } from './syntax/source.ts';
import type { CelType } from './types/type.ts';
import type { CelValue } from './values/value.ts';

export type { CostEstimate, SizeEstimator } from './cost/range.ts';
export type { CompileIssue } from './syntax/source.ts';

/** Declarations beyond the Kubernetes libraries. */
export interface EnvironmentOptions {
  readonly variables?: { readonly [name: string]: CelType };
  /** Types that expressions can construct, such as `Object{…}`. */
  readonly types?: readonly CelType[];
  /** Declares `Object{spec: Object.spec{…}}` and `JSONPatch{op: "add", …}`. */
  readonly mutation?: boolean;
  /** Kubernetes minor version whose functions are available; the newest if absent. */
  readonly version?: string;
}

export interface CompileErrors {
  readonly ok: false;
  /** `program` if type checking succeeded but a constant part cannot be evaluated (`program instantiation failed: `). */
  readonly stage: 'compilation' | 'program';
  readonly issues: readonly CompileIssue[];
  /** The text Kubernetes prints after `compilation failed: `: each issue with its line and a caret. */
  readonly text: string;
}

export interface Compiled {
  readonly ok: true;
  readonly expression: string;
  /** Result type. */
  readonly type: CelType;
  /** Names of the variables the expression uses. */
  readonly references: ReadonlySet<string>;
  /** Never throws because of the expression or its data. */
  evaluate(bindings: Bindings, options?: EvaluateOptions): EvaluationResult;
  /** Minimum and maximum cost of an evaluation, given the sizes of the variables. */
  estimateCost(sizeOf?: SizeEstimator): CostEstimate;
}

/** Values of the variables. A function is called when the variable is first read in an evaluation. */
export interface Bindings {
  readonly [name: string]: CelValue | (() => CelValue);
}

export interface EvaluateOptions {
  /** Evaluation stops beyond this cost; 1,000,000 if absent. */
  readonly costLimit?: number;
  /** Checked periodically in loops; true stops the evaluation. */
  readonly cancelled?: () => boolean;
}

export type EvaluationResult =
  | { readonly ok: true; readonly value: CelValue; readonly cost: number }
  | { readonly ok: false; readonly reason: 'error' | 'cost limit' | 'cancelled'; readonly error: string; readonly cost: number };

/** Runtime cost limit of one evaluation. */
export const perCallCostLimit = 1_000_000;
/** Runtime cost budget of all rules of an object, or of all policies of a binding. */
export const runtimeCostBudget = 10_000_000;
export const matchConditionsCostBudget = 2_500_000;
/** Estimated cost limits of a rule, and of all rules of a CustomResourceDefinition. */
export const estimatedCostLimit = 10_000_000;
export const estimatedDefinitionCostLimit = 100_000_000;
