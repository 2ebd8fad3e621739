import type { CostEstimate, SizeEstimator } from './cost/range.ts';
import type { CompileIssue } from './syntax/source.ts';
import type { CelType } from './types/type.ts';
import type { CelValue } from './values/value.ts';

export type { CostEstimate, SizeEstimator } from './cost/range.ts';
export type { CompileIssue } from './syntax/source.ts';

/** What an expression may refer to besides the functions of Kubernetes. */
export interface EnvironmentOptions {
  readonly variables?: { readonly [name: string]: CelType };
  /** Types that expressions construct by name, such as `Object{…}`. */
  readonly types?: readonly CelType[];
  /** Expressions may make objects and patches: `Object{spec: Object.spec{…}}`, `JSONPatch{op: "add", …}`. */
  readonly mutation?: boolean;
  /** The release whose functions are known: functions of later ones are not. The newest if it is not said. */
  readonly version?: string;
}

export interface CompileErrors {
  readonly ok: false;
  /** `program` if the types fit, but a part that is constant cannot be evaluated: `program instantiation failed: `. */
  readonly stage: 'compilation' | 'program';
  readonly issues: readonly CompileIssue[];
  /** As Kubernetes prints it after `compilation failed: `: each problem with its line and a caret below it. */
  readonly text: string;
}

export interface Compiled {
  readonly ok: true;
  readonly expression: string;
  /** What the expression evaluates to. */
  readonly type: CelType;
  /** The names of the variables it uses. */
  readonly references: ReadonlySet<string>;
  /** Never throws for what an expression or its data does. */
  evaluate(bindings: Bindings, options?: EvaluateOptions): EvaluationResult;
  /** The least and the most that an evaluation may cost, by what is known of the sizes of the variables. */
  estimateCost(sizeOf?: SizeEstimator): CostEstimate;
}

/** The values of variables; a function is called when the variable is first used in an evaluation. */
export interface Bindings {
  readonly [name: string]: CelValue | (() => CelValue);
}

export interface EvaluateOptions {
  /** An evaluation that costs more is ended; 1,000,000 if it is not said. */
  readonly costLimit?: number;
  /** Asked now and then within loops; true ends the evaluation. */
  readonly cancelled?: () => boolean;
}

export type EvaluationResult =
  | { readonly ok: true; readonly value: CelValue; readonly cost: number }
  | { readonly ok: false; readonly reason: 'error' | 'cost limit' | 'cancelled'; readonly error: string; readonly cost: number };

/** What an expression may cost when it is evaluated once. */
export const perCallCostLimit = 1_000_000;
/** What all rules of an object, or all policies of a binding, may cost together. */
export const runtimeCostBudget = 10_000_000;
export const matchConditionsCostBudget = 2_500_000;
/** What a rule may cost by estimation, and all rules of a definition together. */
export const estimatedCostLimit = 10_000_000;
export const estimatedDefinitionCostLimit = 100_000_000;
