import { aggregateMessage, type JsonObject, textIn } from '@tsukube/machinery';
import { boolType, type CelAuthorizer, matchConditionsCostBudget } from '@tsukube/machinery/cel';
import type { VersionedAttributes } from '../versioned-attributes.ts';
import { webhookEnvironment } from './environment.ts';
import { type AdmissionExpression, compileExpression } from './expression.ts';
import { ExpressionRun, type OutcomeList, OutOfBudget } from './expression-run.ts';
import type { MatchConditionMetrics } from './match-condition-metrics.ts';
import type { Composition } from './variables.ts';

/** `condition` names the condition that is false. With the failure policy Ignore, an error is no match. */
export type MatchResult =
  | { readonly matches: true }
  | { readonly matches: false; readonly condition?: string }
  | { readonly error: string };

export interface MatchDependencies {
  readonly authorizer: CelAuthorizer;
  readonly params?: JsonObject | null;
}

export interface MatchConditions {
  /** Whether all conditions hold. Never rejects because of an expression. */
  evaluate(versioned: VersionedAttributes, dependencies: MatchDependencies): MatchResult | Promise<MatchResult>;
}

export interface MatchConditionsOptions {
  readonly failurePolicy: string;
  readonly metrics: MatchConditionMetrics;
  /** Compiles a condition; in the environment of webhooks if absent. */
  readonly compile?: (text: string) => AdmissionExpression;
  readonly composition?: Composition;
}

const always: MatchConditions = { evaluate: () => ({ matches: true }) };

/** Compiles `matchConditions` when they are first evaluated. */
export function compileMatchConditions(conditions: readonly JsonObject[], options: MatchConditionsOptions): MatchConditions {
  return conditions.length === 0 ? always : new CompiledConditions(conditions, options);
}

export function compileWebhookCondition(text: string): AdmissionExpression {
  return compileExpression(text, [boolType], webhookEnvironment());
}

class CompiledConditions implements MatchConditions {
  readonly #conditions: readonly JsonObject[];
  readonly #options: MatchConditionsOptions;
  #expressions: readonly AdmissionExpression[] | undefined;

  constructor(conditions: readonly JsonObject[], options: MatchConditionsOptions) {
    this.#conditions = conditions;
    this.#options = options;
  }

  evaluate(versioned: VersionedAttributes, { authorizer, params }: MatchDependencies): MatchResult | Promise<MatchResult> {
    const { composition, metrics } = this.#options;
    const { operation, version } = versioned.attributes;
    const began = performance.now();
    const inputs = { versioned, resourceVersion: version, namespace: null, authorizer, ...(params !== undefined && { params }) };
    const run = new ExpressionRun(inputs, matchConditionsCostBudget, composition);
    const finish = (outcomes: OutcomeList): MatchResult => {
      const result = this.#resultOf(outcomes, operation);
      if (!('matches' in result && result.matches)) metrics.duration(operation, performance.now() - began);
      return result;
    };
    const fail = (error: unknown): MatchResult => {
      if (!(error instanceof OutOfBudget)) throw error;
      metrics.duration(operation, performance.now() - began);
      return this.#failed(error.message);
    };
    return settled(() => run.evaluateAll(this.#compiled()), finish, fail);
  }

  #compiled(): readonly AdmissionExpression[] {
    const { compile = compileWebhookCondition } = this.#options;
    this.#expressions ??= this.#conditions.map((condition) => compile(textIn(condition, 'expression')));
    return this.#expressions;
  }

  #resultOf(outcomes: OutcomeList, operation: string): MatchResult {
    const errors: string[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      if (!outcome) continue;
      if (!outcome.ok) {
        errors.push(outcome.error);
        this.#options.metrics.error(operation);
      } else if (outcome.value === false) return { matches: false, condition: textIn(this.#conditions[i], 'name') };
    }
    return errors.length === 0 ? { matches: true } : this.#failed(aggregateMessage(errors));
  }

  #failed(error: string): MatchResult {
    return this.#options.failurePolicy === 'Ignore' ? { matches: false } : { error };
  }
}

/** Continues synchronously with a value that is there. */
export function settled<T, R>(run: () => T | Promise<T>, next: (value: T) => R, fail: (error: unknown) => R): R | Promise<R> {
  let value: T | Promise<T>;
  try {
    value = run();
  } catch (error) {
    return fail(error);
  }
  return value instanceof Promise ? value.then(next, fail) : next(value);
}
