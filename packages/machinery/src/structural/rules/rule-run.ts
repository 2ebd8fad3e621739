import type { Bindings, Compiled, EvaluationResult } from '../../cel/contract.ts';
import { jsonReader } from '../../cel/values/json.ts';
import { CelOptional, optionalNone } from '../../cel/values/value.ts';
import { FieldErrors } from '../../errors/field-errors.ts';
import { type FieldPath, path } from '../../errors/field-path.ts';
import type { JsonValue } from '../../json/value.ts';
import { goQuote } from '../../text/go-quote.ts';
import type { SchemaNode, ValidationRule } from '../schema/schema-node.ts';
import { type CompiledValidationRule, celSchemaOf, rulesOf } from './rules.ts';
import type { ValuePosition } from './validate-rules.ts';

const maxMessageBytes = 5 * 1024;
const noBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Evaluates the CEL rules of one object within one cost budget. */
export class RuleRun {
  readonly warnings: string[] = [];
  readonly errors: FieldErrors;
  #budget: number;

  constructor(errors: FieldErrors, budget: number) {
    this.errors = errors;
    this.#budget = budget;
  }

  get budget(): number {
    return this.#budget;
  }

  get isSpent(): boolean {
    return this.#budget < 0;
  }

  evaluate(node: SchemaNode, value: JsonValue, old: JsonValue | undefined, place: ValuePosition): void {
    const rules = rulesOf(node, place.root);
    if (rules === undefined) return;
    if (this.#budget <= 0) {
      this.#end(node, place.at, noBudget);
      return;
    }
    const read = jsonReader(celSchemaOf(node), place.root || node.embedded);
    const self = read(value);
    const oldSelf = old === undefined ? undefined : read(old);
    const bindings: Bindings = { self, ...(oldSelf !== undefined && { oldSelf }) };
    const optional: Bindings = { self, oldSelf: oldSelf === undefined ? optionalNone : new CelOptional(oldSelf) };
    for (const rule of rules.list) {
      if (rule.usesOldSelf && old === undefined && rule.rule.optionalOldSelf !== true) continue;
      this.#one(rule, node, value, rule.rule.optionalOldSelf === true ? optional : bindings, place);
      if (this.isSpent) return;
    }
  }

  #one(compiled: CompiledValidationRule, node: SchemaNode, value: JsonValue, bindings: Bindings, place: ValuePosition): void {
    const { program, rule, error } = compiled;
    if (error !== undefined) this.errors.invalid(place.at, node.type, `rule compile error: ${error}`);
    if (program === undefined) return;
    const outcome = program.evaluate(bindings);
    if (outcome.cost > this.#budget) {
      this.#end(node, place.at, noBudget);
      return;
    }
    this.#budget -= outcome.cost;
    if (!outcome.ok) this.#failed(outcome, rule, node, place.at);
    else if (outcome.value !== true) this.#broken(compiled, node, value, bindings, place);
  }

  #failed(
    outcome: Extract<EvaluationResult, { ok: false }>,
    rule: ValidationRule,
    node: SchemaNode,
    at: FieldPath | undefined,
  ): void {
    const { reason, error } = outcome;
    const text = ruleText(rule);
    if (reason !== 'error') {
      const message = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`;
      this.#end(node, at, message);
    } else if (error.startsWith('no such overload')) {
      const message = `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
      this.errors.invalid(at, node.type, message);
    } else this.errors.invalid(at, node.type, `${error} evaluating rule: ${text}`);
  }

  #broken(compiled: CompiledValidationRule, node: SchemaNode, value: JsonValue, bindings: Bindings, place: ValuePosition): void {
    const { rule, fieldPath, usesOldSelf } = compiled;
    const at = fieldPath === '' ? place.at : (place.at?.child(fieldPath) ?? path(fieldPath));
    const detail = compiled.message === undefined ? undefined : this.#message(compiled.message, bindings);
    const found = new FieldErrors();
    if (this.isSpent) found.invalid(at, node.type, detail);
    else addBroken(found, rule, at, node.type === 'object' || node.type === 'array' ? undefined : value, detail);
    const forgiven = !usesOldSelf && (place.current ?? place.nearest)?.unchanged === true;
    if (forgiven) this.warnings.push(found.toString());
    else this.errors.addAll(found);
  }

  /** The result of a messageExpression, or the error of an exhausted budget; undefined if it yields no message. */
  #message(program: Compiled, bindings: Bindings): string | undefined {
    const outcome = program.evaluate(bindings);
    const stopped = (why: string) => {
      this.#budget = -1;
      return why;
    };
    if (outcome.cost > this.#budget)
      return stopped(
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      );
    if (!outcome.ok && outcome.reason !== 'error')
      return stopped(
        `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(program.expression)}`,
      );
    this.#budget -= outcome.cost;
    const text = outcome.ok && typeof outcome.value === 'string' ? outcome.value.trim() : '';
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? undefined : text;
  }

  #end(node: SchemaNode, at: FieldPath | undefined, message: string): void {
    this.errors.invalid(at, node.type, message);
    this.#budget = -1;
  }
}

/** The error does not show values of objects and lists. */
function addBroken(
  errors: FieldErrors,
  rule: ValidationRule,
  at: FieldPath | undefined,
  value: JsonValue | undefined,
  message: string | undefined,
): void {
  const detail = message ?? (rule.message === '' ? `failed rule: ${ruleText(rule)}` : rule.message.trim());
  if (rule.reason === 'FieldValueForbidden') errors.forbidden(at, detail);
  else if (rule.reason === 'FieldValueRequired') errors.required(at, detail);
  else if (rule.reason === 'FieldValueDuplicate') {
    if (value === undefined) errors.duplicateUnshown(at);
    else errors.duplicate(at, value);
  } else if (value === undefined) errors.invalidUnshown(at, detail);
  else errors.invalid(at, value, detail);
}

/** The name of a rule in errors about the rule itself. */
function ruleText(rule: ValidationRule): string {
  return (rule.message === '' ? rule.rule : rule.message).trim();
}
