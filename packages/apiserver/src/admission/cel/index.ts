export { RequestAuthorizer } from './authorizer.ts';
export { admissionEnvironment, type EnvironmentFeatures } from './environment.ts';
export { type AdmissionExpression, compileExpression } from './expression.ts';
export { ExpressionRun, type OutcomeList, OutOfBudget } from './expression-run.ts';
export { type ExpressionInputs, visibleNamespace } from './inputs.ts';
export { type ConditionOwner, type MatchConditionMetrics, matchConditionMetrics } from './match-condition-metrics.ts';
export {
  compileMatchConditions,
  compileWebhookCondition,
  type MatchConditions,
  type MatchConditionsOptions,
  type MatchDependencies,
  type MatchResult,
} from './match-conditions.ts';
export { mutationTypes, namespaceType, requestType } from './types.ts';
export { namedExpression, VariableCompiler } from './variables.ts';
