import {
  type CompiledRules,
  type CompiledValidationRule,
  estimatedCostLimit,
  estimatedDefinitionCostLimit,
  type FieldErrors,
  type FieldPath,
  findField,
  type JsonObject,
  maxRequestBytes,
  numberIn,
  objectsIn,
  parseSchema,
  rulesOf,
  structuralObstacle,
  textIn,
} from '@tsukube/machinery';
import { internalRule } from './internal-types.ts';

const extension = 'x-kubernetes-validations';
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Whether the node is the root, and how often its rules are evaluated at most. */
export interface RuleScope {
  readonly costs: RuleCosts;
  /** The maximum number of values of the node in an object; undefined if only the request size limits it. */
  readonly cardinality: number | undefined;
  readonly root: boolean;
}

/** The scope of the items or properties of a schema. */
export function childScope(schema: JsonObject, { costs, cardinality }: RuleScope): RuleScope {
  const factor = mostElements(schema);
  return {
    costs,
    root: false,
    cardinality: cardinality === undefined || factor === undefined ? undefined : cardinality * factor,
  };
}

function mostElements(schema: JsonObject): number | undefined {
  const bound = (key: string) => (schema[key] === undefined ? undefined : Math.max(0, numberIn(schema, key)));
  if (textIn(schema, 'type') === 'array') return bound('maxItems');
  const isMap = textIn(schema, 'type') === 'object' && (schema.additionalProperties ?? null) !== null;
  return isMap ? bound('maxProperties') : 1;
}

export function validateRuleTexts(schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const [i, rule] of objectsIn(schema, extension).entries())
    validateRuleText(rule, schema, at.child(extension).index(i), errors);
}

function validateRuleText(rule: JsonObject, schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [text, message] = [textIn(rule, 'rule').trim(), textIn(rule, 'message')];
  if (text === '') errors.required(at.child('rule'), 'rule is not specified');
  else if (message !== '' && message.trim() === '')
    errors.invalid(at.child('message'), message, 'must be non-empty if specified');
  else if (hasLineBreaks(message.trim())) errors.invalid(at.child('message'), message, 'must not contain line breaks');
  else if (hasLineBreaks(text) && message.trim() === '')
    errors.required(at.child('message'), 'message must be specified if rule contains line breaks');
  const expression = textIn(rule, 'messageExpression');
  if (expression !== '' && expression.trim() === '')
    errors.required(at.child('messageExpression'), 'messageExpression must be non-empty if specified');
  const { reason } = rule;
  if (typeof reason === 'string' && !reasons.includes(reason)) errors.notSupported(at.child('reason'), reason, reasons);
  validateFieldPath(textIn(rule, 'fieldPath'), schema, at.child('fieldPath'), errors);
}

function validateFieldPath(path: string, schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (path === '') return;
  if (path.trim() === '') errors.invalid(at, path, 'must be non-empty if specified');
  if (hasLineBreaks(path)) errors.invalid(at, path, 'must not contain line breaks');
  const isValid =
    structuralObstacle(schema) !== undefined || typeof findField(path, parseSchema(schema), subscripts) !== 'string';
  if (!isValid) errors.invalid(at, path, 'must be a valid path');
}

const subscripts = { subscripts: true };

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** Compiles the rules of a node and estimates their cost. */
export function validateRules(
  schema: JsonObject,
  at: FieldPath,
  scope: RuleScope,
  uncorrelatable: FieldPath | undefined,
  errors: FieldErrors,
): void {
  const given = objectsIn(schema, extension);
  if (given.length === 0) return;
  const rules = rulesOf(parseSchema(schema), scope.root);
  if (rules === undefined) {
    const why = 'failed to construct type information for x-kubernetes-validations rules';
    errors.internal(at.child(extension), `internal error: ${why}: unable to convert structural schema to CEL declarations`);
    return;
  }
  for (const [i, rule] of rules.list.entries()) {
    const ruleAt = at.child(extension).index(i);
    validateRule(rule, rules, given[i] ?? {}, ruleAt, scope, errors);
    validateOldSelf(rule, ruleAt, uncorrelatable, errors);
  }
}

function validateRule(
  rule: CompiledValidationRule,
  rules: CompiledRules,
  given: JsonObject,
  at: FieldPath,
  { costs, cardinality }: RuleScope,
  errors: FieldErrors,
): void {
  const times = cardinality ?? Math.floor(maxRequestBytes / (rules.declared.minSerializedSize + 1));
  const once = rule.program?.estimateCost(rules.sizeOf).max ?? 0;
  addCost('estimated rule cost', once === 0 ? 0 : once * times, at.child('rule'), costs, errors);
  if (rule.error !== undefined) errors.invalid(at.child('rule'), internalRule(given), rule.error);
  if (rule.messageError !== undefined) errors.invalid(at.child('messageExpression'), internalRule(given), rule.messageError);
  if (rule.message === undefined) return;
  const messageCost = rule.message.estimateCost(rules.sizeOf).max;
  addCost('estimated messageExpression cost', messageCost, at.child('messageExpression'), costs, errors);
}

function addCost(what: string, cost: number, at: FieldPath, costs: RuleCosts, errors: FieldErrors): void {
  if (!costs.skipsLimit && cost > estimatedCostLimit) errors.forbidden(at, costMessage(what, cost, estimatedCostLimit));
  costs.add(at, cost);
}

function validateOldSelf(
  rule: CompiledValidationRule,
  at: FieldPath,
  uncorrelatable: FieldPath | undefined,
  errors: FieldErrors,
): void {
  const { optionalOldSelf } = rule.rule;
  if (rule.usesOldSelf && uncorrelatable !== undefined)
    errors.invalid(
      at.child('rule'),
      rule.rule.rule,
      `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
    );
  if (!rule.usesOldSelf && optionalOldSelf !== undefined)
    errors.invalid(at.child('optionalOldSelf'), optionalOldSelf, 'may not be set if oldSelf is not used in rule');
}

const advice =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function costMessage(what: string, cost: number, limit: number): string {
  return `${what} exceeds budget by factor of ${factorText(cost / limit)} (${advice})`;
}

function factorText(factor: number): string {
  if (factor > 100) return 'more than 100x';
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
}

interface RuleCost {
  readonly at: FieldPath;
  readonly cost: number;
}

/** The total estimated cost of the rules of one schema. */
export class RuleCosts {
  /** Ratcheting: the limit of a single rule is not enforced for an unchanged schema. */
  readonly skipsLimit: boolean;
  readonly #at: FieldPath;
  #total = 0;
  #mostExpensive: readonly RuleCost[] = [];

  constructor(at: FieldPath, skipsLimit: boolean) {
    this.#at = at;
    this.skipsLimit = skipsLimit;
  }

  add(at: FieldPath, cost: number): void {
    this.#total += cost;
    if (cost < estimatedDefinitionCostLimit / 100) return;
    this.#mostExpensive = [...this.#mostExpensive, { at, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  reportTotal(errors: FieldErrors): void {
    if (this.#total <= estimatedDefinitionCostLimit) return;
    for (const { at } of this.#mostExpensive)
      errors.forbidden(at, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema');
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    errors.forbidden(this.#at, costMessage(what, this.#total, estimatedDefinitionCostLimit));
  }
}
