import { runtimeCostBudget } from '../cel/contract.ts';
import { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { sortKeys } from '../json/stringify.ts';
import { deepCopy, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { coerceEmbedded, isMetaField, validateEmbedded, validateIdentity } from './embedded-objects.ts';
import { Normalization } from './normalization.ts';
import { normalizeDefault } from './normalize.ts';
import { RuleRun } from './rules/rule-run.ts';
import { validateRulesOfValue } from './rules/validate-rules.ts';
import type { SchemaNode } from './schema/schema-node.ts';
import { ValidationBudget } from './values/budget.ts';
import { explain } from './values/explain.ts';
import { reportFindings } from './values/finding.ts';

/** Validates that the defaults of a schema are valid values and, with `requirePruned`, have no unknown fields. */
export function validateDefaults(root: SchemaNode, at: FieldPath, requirePruned: boolean, errors: FieldErrors): void {
  const resource = { ...root, embedded: true, within: { ...root.within, embedded: true } };
  new DefaultsWalk(requirePruned, errors).node(resource, at, { root: resource, steps: [], insideMeta: false });
}

/** The position of a default within its enclosing object. */
interface Surroundings {
  /** The schema of the enclosing object: the root or an embedded object. */
  readonly root: SchemaNode;
  readonly steps: readonly (string | number)[];
  /** Whether it is within apiVersion, kind or metadata of that object. */
  readonly insideMeta: boolean;
}

class DefaultsWalk {
  readonly #requirePruned: boolean;
  readonly #errors: FieldErrors;
  readonly #validation = new ValidationBudget();
  #budget = runtimeCostBudget;

  constructor(requirePruned: boolean, errors: FieldErrors) {
    this.#requirePruned = requirePruned;
    this.#errors = errors;
  }

  node(node: SchemaNode, at: FieldPath, around: Surroundings): void {
    const here = node.embedded && node !== around.root ? { root: node, steps: [], insideMeta: false } : around;
    if (node.default !== undefined) this.#validate(node, node.default, at.child('default'), here);
    if (this.#budget < 0) return;
    if (node.items !== undefined) this.node(node.items, at.child('items'), { ...here, steps: [...here.steps, 0] });
    const isResource = node === here.root;
    for (const [key, child] of node.properties ?? []) {
      const insideMeta = here.insideMeta || (isResource && isMetaField(key));
      this.node(child, at.child('properties').key(key), { ...here, steps: [...here.steps, key], insideMeta });
    }
  }

  #validate(node: SchemaNode, value: JsonValue, at: FieldPath, around: Surroundings): void {
    const found = new FieldErrors();
    if (around.insideMeta) validateInMeta(value, at, around, found);
    else {
      if (this.#requirePruned && hasUnknownFields(value, node))
        this.#errors.invalid(at, sortKeys(value), 'must not have unknown fields');
      validateEmbeddedDefault(value, node, at, found);
    }
    if (found.length === 0) reportFindings(explain(node, value, '', this.#validation), at, found);
    if (found.length === 0 && node.within.rules) this.#validateRules(node, value, at, node === around.root, found);
    this.#errors.addAll(found);
  }

  /** Evaluates the rules for a default as on create and as on an update that does not change it. */
  #validateRules(node: SchemaNode, value: JsonValue, at: FieldPath, root: boolean, errors: FieldErrors): void {
    const replacing = new RuleRun(errors, this.#budget);
    validateRulesOfValue(node, value, value, { at, root }, replacing);
    this.#budget = Math.min(this.#budget, replacing.budget);
    if (errors.length > 0) return;
    const fresh = new RuleRun(errors, runtimeCostBudget);
    validateRulesOfValue(node, value, undefined, { at, root }, fresh);
    this.#budget = Math.min(this.#budget, fresh.budget);
  }
}

function hasUnknownFields(value: JsonValue, node: SchemaNode): boolean {
  return normalizeDefault(deepCopy(value), node).hasDropped;
}

/** Malformed metadata is the only error reported. */
function validateEmbeddedDefault(value: JsonValue, node: SchemaNode, at: FieldPath, errors: FieldErrors): void {
  if (!node.within.embedded) return;
  validateEmbedded(value, node, at, errors);
}

/** A default within metadata is valid if metadata with it is valid. */
function validateInMeta(value: JsonValue, at: FieldPath, { steps }: Surroundings, errors: FieldErrors): void {
  const object = objectAround(value, steps);
  const run = new Normalization('request');
  coerceEmbedded(object, run);
  const { error } = run.result();
  const found = new FieldErrors();
  if (error === undefined) validateIdentity(object, undefined, found);
  const problem = error ?? (found.length > 0 ? found.toString() : undefined);
  if (problem !== undefined) errors.invalid(at, sortKeys(value), `must result in valid metadata: ${problem}`);
}

function objectAround(value: JsonValue, steps: readonly (string | number)[]): JsonObject {
  let around = deepCopy(value);
  for (const step of steps.toReversed()) around = typeof step === 'number' ? [around] : { [step]: around };
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(isObject(around) ? around : {}) };
}
