import { checkTypes } from './check/checker.ts';
import { validateAst } from './check/validators.ts';
import {
  type Bindings,
  type Compiled,
  type CompileErrors,
  type EvaluateOptions,
  type EvaluationResult,
  perCallCostLimit,
} from './contract.ts';
import { estimateCost } from './cost/estimate.ts';
import type { Environment } from './environment.ts';
import { Evaluation, EvaluationEnded, type VariableSlot } from './plan/evaluation.ts';
import { PlanError } from './plan/node.ts';
import { type Plan, plan } from './plan/planner.ts';
import { checkedType, type Expr } from './syntax/ast.ts';
import { parse } from './syntax/parser.ts';
import { Issues, nowhere } from './syntax/source.ts';
import type { CelType } from './types/type.ts';
import { isError } from './values/value.ts';

/** Parses, type-checks and plans an expression. */
export function compile(expression: string, environment: Environment): Compiled | CompileErrors {
  const issues = new Issues(expression);
  try {
    return compileWithin(expression, environment, issues);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    issues.report(nowhere, 'expression is nested too deeply');
    return failed(issues);
  }
}

function compileWithin(expression: string, environment: Environment, issues: Issues): Compiled | CompileErrors {
  const expr = treeOf(expression, environment, issues);
  if (issues.count === 0) validateAst(expr, issues);
  return issues.count > 0 ? failed(issues) : planned(expression, expr, environment);
}

/** Parses and type-checks. The tree must not be used if there are issues. */
function treeOf(expression: string, environment: Environment, issues: Issues): Expr {
  const expr = parse(expression, environment.macros, issues);
  if (issues.count === 0) checkTypes(expr, environment, issues);
  return expr;
}

function failed(issues: Issues): CompileErrors {
  return { ok: false, stage: 'compilation', issues: issues.sorted(), text: issues.text() };
}

function planned(expression: string, expr: Expr, environment: Environment): Compiled | CompileErrors {
  try {
    return compiled(expression, environment, checkedType(expr), plan(expr, environment));
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const issue = { line: -1, column: -1, message: error.message };
    return { ok: false, stage: 'program', issues: [issue], text: error.message };
  }
}

/** The tree is not retained. Costs are estimated only once, when an expression is defined, so it is parsed again for that. */
function compiled(expression: string, environment: Environment, type: CelType, ready: Plan): Compiled {
  return {
    ok: true,
    expression,
    type,
    references: new Set(ready.variables.keys()),
    evaluate: (bindings, options) => evaluate(ready, bindings, options),
    estimateCost: (sizeOf) => estimateCost(treeOf(expression, environment, new Issues(expression)), sizeOf),
  };
}

/** Stack overflow, or a string beyond the maximum length of the engine. */
const stackExhausted = 'internal error: the limits of the runtime are exceeded';

function evaluate({ run, variables, slots }: Plan, bindings: Bindings, options: EvaluateOptions = {}): EvaluationResult {
  const values = new Array<VariableSlot>(slots);
  for (const [name, slot] of variables) values[slot] = Object.hasOwn(bindings, name) ? bindings[name] : undefined;
  const evaluation = new Evaluation(values, options.costLimit ?? perCallCostLimit, options.cancelled);
  try {
    const value = run(evaluation);
    const { cost } = evaluation;
    return isError(value) ? { ok: false, reason: 'error', error: value.message, cost } : { ok: true, value, cost };
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, reason: 'error', error: stackExhausted, cost: evaluation.cost };
    if (!(error instanceof EvaluationEnded)) throw error;
    return { ok: false, reason: error.reason, error: error.message, cost: evaluation.cost };
  }
}
