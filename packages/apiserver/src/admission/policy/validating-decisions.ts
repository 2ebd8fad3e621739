import type { JsonObject, KubeObject } from '@tsukube/machinery';
import { type CelAuthorizer, runtimeCostBudget } from '@tsukube/machinery/cel';
import { type ExpressionInputs, ExpressionRun, type OutcomeList, OutOfBudget, visibleNamespace } from '../cel/index.ts';
import type { VersionedAttributes } from '../versioned-attributes.ts';
import type { AuditAnnotation, ValidatingEvaluator, Validation } from './validating-evaluator.ts';

/** The decision of one validation. An admitted error is one that the failure policy ignores. */
export interface PolicyDecision {
  readonly action: 'admit' | 'deny';
  readonly evaluation: 'admit' | 'deny' | 'error';
  readonly message: string;
  readonly reason: string;
  readonly milliseconds: number;
}

export type AnnotationDecision =
  | { readonly action: 'publish'; readonly key: string; readonly value: string }
  | { readonly action: 'error'; readonly message: string; readonly milliseconds: number };

export interface PolicyDecisions {
  readonly decisions: readonly PolicyDecision[];
  readonly annotations: readonly AnnotationDecision[];
}

/** The inputs of a policy besides those of the request: one call for each binding and parameter. */
export interface PolicyInputs {
  readonly versioned: VersionedAttributes;
  readonly params: JsonObject | null;
  readonly namespace: KubeObject | null;
  readonly authorizer: CelAuthorizer;
  readonly failurePolicy: string;
}

const noDecisions: PolicyDecisions = { decisions: [], annotations: [] };

/** Evaluates match conditions, validations, messages and audit annotations, in this order. */
export async function decide(evaluator: ValidatingEvaluator, inputs: PolicyInputs): Promise<PolicyDecisions> {
  const matched = await evaluator.conditions.evaluate(inputs.versioned, inputs);
  if ('error' in matched) return onlyError(matched.error, inputs);
  if (!matched.matches) return noDecisions;
  try {
    const decisions = await validate(evaluator, inputs);
    return { decisions, annotations: await annotate(evaluator, inputs) };
  } catch (error) {
    if (error instanceof OutOfBudget) return onlyError(error.message, inputs);
    throw error;
  }
}

function onlyError(message: string, inputs: PolicyInputs): PolicyDecisions {
  return { decisions: [failed(message, 0, inputs)], annotations: [] };
}

function failed(message: string, milliseconds: number, { failurePolicy }: PolicyInputs): PolicyDecision {
  const action = failurePolicy === 'Ignore' ? 'admit' : 'deny';
  return { action, evaluation: 'error', message, reason: '', milliseconds };
}

function expressionInputs({ versioned, params }: PolicyInputs, namespace: JsonObject | null): ExpressionInputs {
  return { versioned, resourceVersion: versioned.version, params, namespace };
}

const admitted = { action: 'admit', evaluation: 'admit', message: '', reason: '' } as const;

async function validate(evaluator: ValidatingEvaluator, inputs: PolicyInputs): Promise<readonly PolicyDecision[]> {
  const { validations, composition } = evaluator;
  const shared = expressionInputs(inputs, inputs.namespace && visibleNamespace(inputs.namespace));
  const run = new ExpressionRun({ ...shared, authorizer: inputs.authorizer }, runtimeCostBudget, composition);
  const outcomes = await run.evaluateAll(validations.map(({ expression }) => expression));
  const allHold = outcomes.every((outcome) => outcome?.ok === true && outcome.value === true);
  // Messages of validations that hold are not needed.
  const messages = allHold ? [] : await messageOutcomes(evaluator, shared, run.budget);
  return validations.map((validation, i) => {
    const outcome = outcomes[i];
    if (!outcome?.ok) return failed(outcome?.error ?? '', outcome?.milliseconds ?? 0, inputs);
    const { milliseconds } = outcome;
    if (typeof messages === 'string') return failed(`failed messageExpression: ${messages}`, milliseconds, inputs);
    if (outcome.value === true) return { ...admitted, milliseconds };
    const message = messageOf(validation, messages[i]);
    return { action: 'deny', evaluation: 'deny', message, reason: validation.reason, milliseconds };
  });
}

/** The outcomes of the messageExpressions, or the error if their budget is exhausted. */
async function messageOutcomes(
  { validations, composition, hasMessageExpressions }: ValidatingEvaluator,
  shared: ExpressionInputs,
  budget: number,
): Promise<OutcomeList | string> {
  if (!hasMessageExpressions) return [];
  try {
    return await new ExpressionRun(shared, budget, composition).evaluateAll(
      validations.map(({ messageExpression }) => messageExpression),
    );
  } catch (error) {
    if (error instanceof OutOfBudget) return error.message;
    throw error;
  }
}

const maxMessageBytes = 5 * 1024;

/** The result of the messageExpression if it is a short line of text, else the message, else the expression. */
function messageOf({ message, expression }: Validation, outcome: OutcomeList[number]): string {
  const evaluated = outcome?.ok && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  const isUsable = evaluated !== '' && !evaluated.includes('\n') && Buffer.byteLength(evaluated) <= maxMessageBytes;
  return (isUsable && evaluated) || message || `failed expression: ${expression.text.trim()}`;
}

async function annotate(evaluator: ValidatingEvaluator, inputs: PolicyInputs): Promise<readonly AnnotationDecision[]> {
  const { annotations, composition } = evaluator;
  if (annotations.length === 0) return [];
  const run = new ExpressionRun(expressionInputs(inputs, inputs.namespace), runtimeCostBudget, composition);
  const outcomes = await run.evaluateAll(annotations.map(({ expression }) => expression));
  return annotations.flatMap((annotation, i) => annotationDecision(annotation, outcomes[i], inputs));
}

function annotationDecision(
  { key }: AuditAnnotation,
  outcome: OutcomeList[number],
  { failurePolicy }: PolicyInputs,
): readonly AnnotationDecision[] {
  if (!outcome?.ok) {
    const message = outcome?.error ?? '';
    return failurePolicy === 'Ignore' ? [] : [{ action: 'error', message, milliseconds: outcome?.milliseconds ?? 0 }];
  }
  const value = typeof outcome.value === 'string' ? outcome.value.trim() : '';
  return value === '' ? [] : [{ action: 'publish', key, value }];
}
