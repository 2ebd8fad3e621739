import type { ObjectMergeSchema } from '../apply/merge-schema.ts';
import { FieldErrors } from '../errors/field-errors.ts';
import { path } from '../errors/field-path.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { CompiledSchema, SchemaOptions } from './compiled-schema.ts';
import { validateEmbedded } from './embedded-objects.ts';
import { mergeSchemaOfRoot } from './merge-schema.ts';
import { applyDefaults, normalizeRoot } from './normalize.ts';
import { validateRulesOf } from './rules/validate-rules.ts';
import { parseSchema } from './schema/parse.ts';
import type { SchemaNode } from './schema/schema-node.ts';
import { DefaultsBudget, type Effort, ValidationBudget } from './values/budget.ts';
import { checkOf } from './values/check.ts';
import { Correlation } from './values/correlation.ts';
import { explain } from './values/explain.ts';
import { reportFindings } from './values/finding.ts';
import { hasDuplicates, validateUniqueness } from './values/list-uniqueness.ts';

const noWarnings: readonly string[] = [];
const statusPath = path('status');

/** Compiles the openAPIV3Schema of a version. A function is called on first use. */
export function compileSchema(props: JsonObject | (() => JsonObject), options: SchemaOptions = {}): CompiledSchema {
  const preserve = options.preserveUnknownFields === true;
  let parsed: SchemaNode | undefined;
  let shape: ObjectMergeSchema | undefined;
  const root = (): SchemaNode => {
    parsed ??= parseSchema(typeof props === 'function' ? props() : props);
    return parsed;
  };
  return {
    normalize: (object, origin) => normalizeRoot(object, root(), origin, preserve),
    applyDefaults: (object) => applyDefaults(object, root(), new DefaultsBudget()),
    validateValues: (object, old, errors, effort) => validateValues(root(), object, old, errors, effort),
    validateStatusValues: (object, old, errors, effort) => validateStatus(root(), object, old, errors, effort),
    validateRules: (object, old, errors, part, effort) => validateRules(root(), object, old, errors, part, effort),
    get mergeSchema() {
      shape ??= mergeSchemaOfRoot(root(), preserve);
      return shape;
    },
  };
}

function validateValues(
  root: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
  errors: FieldErrors,
  effort: Effort | undefined,
): void {
  const budget = new ValidationBudget(effort);
  if (checkOf(root)(object, budget)) return;
  reportFindings(explain(root, object, '', budget, old && new Correlation(object, old, root)), undefined, errors);
}

function validateStatus(
  root: SchemaNode,
  object: JsonObject,
  old: JsonObject,
  errors: FieldErrors,
  effort: Effort | undefined,
): void {
  const node = root.properties?.get('status');
  if (node === undefined || !Object.hasOwn(object, 'status')) return;
  const status = object.status as JsonValue;
  const budget = new ValidationBudget(effort);
  if (checkOf(node)(status, budget)) return;
  reportFindings(explain(node, status, '', budget, new Correlation(object, old, root).key('status')), statusPath, errors);
}

function validateRules(
  root: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
  errors: FieldErrors,
  part: 'object' | 'status',
  effort: Effort | undefined,
): readonly string[] {
  if (part === 'object') validateEmbedded(object, root, undefined, errors);
  validateLists(root, object, old, errors);
  return root.within.rules ? validateRulesOf(root, object, old, errors, effort) : noWarnings;
}

/** Ratcheting: duplicates are tolerated if the old object had duplicates, too. */
function validateLists(root: SchemaNode, object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  if (!root.within.lists) return;
  const found = new FieldErrors();
  validateUniqueness(object, root, undefined, found);
  if (found.length > 0 && (old === undefined || !hasDuplicates(old, root))) errors.addAll(found);
}
