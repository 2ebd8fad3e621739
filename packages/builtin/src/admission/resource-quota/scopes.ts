import {
  goQuote,
  type JsonObject,
  type LabelOperator,
  type LabelSelector,
  labelRequirement,
  labelSelector,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';

/** A requirement of a scope selector. */
export interface ScopeRequirement {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** The facts about an object that scopes select by. */
export interface ScopeFacts {
  /** Scopes without values that the object is in. */
  readonly scopes: readonly string[];
  /** Values by scope. An object may have none, or several. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** The scopes and the scope selector of a ResourceQuota spec. */
export function scopeRequirementsOf(spec: JsonObject | undefined): readonly ScopeRequirement[] {
  const scopes = textsIn(spec, 'scopes').map((scope) => ({ scope, operator: 'Exists', values: [] }));
  return [...scopes, ...scopeRequirements(objectsIn(objectIn(spec, 'scopeSelector'), 'matchExpressions'))];
}

export function scopeRequirements(expressions: readonly JsonObject[]): readonly ScopeRequirement[] {
  return expressions.map((expression) => ({
    scope: textIn(expression, 'scopeName'),
    operator: textIn(expression, 'operator'),
    values: textsIn(expression, 'values'),
  }));
}

const labelOperators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Throws if a value is no label value: values are not validated when the quota is written. */
export function isInScope(requirement: ScopeRequirement, facts: ScopeFacts): boolean {
  const { scope, operator } = requirement;
  const own = Object.hasOwn(facts.values, scope) ? facts.values[scope] : undefined;
  if (!own) return facts.scopes.includes(scope);
  if (operator === 'Exists') return own.length > 0;
  const selector = selectorOf(requirement);
  return own.length === 0 ? selector.matches({}) : own.some((value) => selector.matches({ [scope]: value }));
}

function selectorOf(requirement: ScopeRequirement): LabelSelector {
  const { scope, operator, values } = requirement;
  try {
    const label = labelOperators.get(operator);
    if (!label) throw new Error(`${goQuote(operator)} is not a valid scope selector operator`);
    return labelSelector([labelRequirement(scope, label, values)]);
  } catch (error) {
    const reason = `failed to parse and convert selector: ${(error as Error).message}`;
    throw new Error(`error on matching scope ${describeRequirement(requirement)}: ${reason}`);
  }
}

/** A requirement as Go prints the struct. */
export function describeRequirement({ scope, operator, values }: ScopeRequirement): string {
  return `{${scope} ${operator} [${values.join(' ')}]}`;
}
