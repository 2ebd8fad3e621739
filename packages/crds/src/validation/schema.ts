import {
  FieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  objectIn,
  objectsIn,
  parseSchema,
  structuralObstacle,
  textIn,
  validateDefaults,
  validateStructure,
} from '@tsukube/machinery';
import { childScope, RuleCosts, type RuleScope, validateRules, validateRuleTexts } from './cel-rules.ts';
import { allowedAtRoot, internalSchema, namesOfSetFields } from './internal-types.ts';
import { validateListType, validateMapKeys, validateMapType } from './list-types.ts';
import { isUnknownType, knownTypes, ratchetingOptions, type ValidationOptions } from './ratcheting.ts';

/** Reports keywords that custom resources must not use, and invalid combinations. */
export function validateOpenApiSchema(
  schema: JsonObject,
  at: FieldPath,
  options: ValidationOptions,
  costs: RuleCosts | undefined,
  errors: FieldErrors,
): void {
  const walk = new SchemaWalk(options);
  const scope = costs && { costs, cardinality: 1, root: true };
  walk.node(schema, at, { isRoot: true, insideMeta: false, uncorrelatable: undefined, noDefaults: undefined }, scope);
  errors.addAll(walk.schemaErrors);
  errors.addAll(walk.ruleErrors);
}

/** The context of a node in its schema. */
interface Place {
  readonly isRoot: boolean;
  /** Inside the schema of an ObjectMeta. */
  readonly insideMeta: boolean;
  /** The outermost list or map around the node whose items cannot be correlated with those of the old object. */
  readonly uncorrelatable: FieldPath | undefined;
  /** The reason why defaults are forbidden here. */
  readonly noDefaults: string | undefined;
}

const unsupported = ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];
const metaFields = new Set(['metadata', 'kind', 'apiVersion']);

class SchemaWalk {
  readonly schemaErrors = new FieldErrors();
  readonly ruleErrors = new FieldErrors();
  readonly #options: ValidationOptions;

  constructor(options: ValidationOptions) {
    this.#options = options;
  }

  node(schema: JsonObject, at: FieldPath, place: Place, scope: RuleScope | undefined): void {
    const before = this.schemaErrors.length;
    this.#keywords(schema, at, place);
    const inner = { ...place, isRoot: false };
    this.#additional(schema, at, inner, scope);
    this.#properties(schema, at, place, scope);
    this.#combinations(schema, at, inner);
    this.#items(schema, at, inner, scope);
    this.#dependencies(schema, at, inner);
    this.#extensions(schema, at);
    validateRuleTexts(schema, at, this.schemaErrors);
    // Errors of rules would be misleading if the schema itself is invalid.
    if (this.schemaErrors.length === before && scope !== undefined)
      validateRules(schema, at, scope, place.uncorrelatable, this.ruleErrors);
  }

  #keywords(schema: JsonObject, at: FieldPath, { noDefaults, insideMeta }: Place): void {
    const errors = this.schemaErrors;
    const type = textIn(schema, 'type');
    if (this.#options.requireValidPropertyType && isUnknownType(schema))
      errors.notSupported(at.child('type'), type, [...knownTypes].sort());
    if (noDefaults !== undefined && (schema.default ?? null) !== null)
      errors.forbidden(at.child('default'), `must not be set ${noDefaults}`);
    if (textIn(schema, 'id') !== '') errors.forbidden(at.child('id'), 'id is not supported');
    for (const key of unsupported) if (isSaid(schema[key])) errors.forbidden(at.child(key), `${key} is not supported`);
    if (type === 'null') errors.forbidden(at.child('type'), 'type cannot be set to null, use nullable as an alternative');
    if (objectsIn(schema, 'items').length > 0)
      errors.forbidden(at.child('items'), 'items must be a schema object and not an array');
    if (insideMeta && schema['x-kubernetes-embedded-resource'] === true)
      errors.forbidden(at.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta');
    if (schema.uniqueItems === true)
      errors.forbidden(
        at.child('uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      );
  }

  #additional(schema: JsonObject, path: FieldPath, place: Place, scope: RuleScope | undefined): void {
    const [value, at] = [schema.additionalProperties ?? null, path.child('additionalProperties')];
    if (value === null) return;
    if (value !== true && Object.keys(objectIn(schema, 'properties') ?? {}).length > 0)
      this.schemaErrors.forbidden(at, 'additionalProperties and properties are mutual exclusive');
    if (!isObject(value)) return;
    const noDefaults = place.insideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefaults;
    this.node(value, at, { ...place, noDefaults }, scope && childScope(schema, scope));
  }

  #properties(schema: JsonObject, at: FieldPath, place: Place, scope: RuleScope | undefined): void {
    const mapType = schema['x-kubernetes-map-type'] ?? 'granular';
    const inner = mapType === 'granular' || mapType === 'atomic' ? place : withUncorrelatable(place, at);
    const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
    for (const [name, property] of Object.entries(objectIn(schema, 'properties') ?? {})) {
      if (!isObject(property)) continue;
      const insideMeta = inner.insideMeta || (isResource && metaFields.has(name));
      const noDefaults = place.isRoot && metaFields.has(name) ? `in top-level ${name}` : inner.noDefaults;
      const next = { ...inner, isRoot: false, insideMeta, noDefaults };
      this.node(property, at.child('properties').key(name), next, scope && childScope(schema, scope));
    }
  }

  #combinations(schema: JsonObject, at: FieldPath, place: Place): void {
    const not = objectIn(schema, 'not');
    if (not) this.node(not, at.child('not'), place, undefined);
    for (const key of ['allOf', 'oneOf', 'anyOf'])
      for (const [i, each] of objectsIn(schema, key).entries()) this.node(each, at.child(key).index(i), place, undefined);
    for (const [name, each] of Object.entries(objectIn(schema, 'definitions') ?? {}))
      if (isObject(each)) this.node(each, at.child('definitions').key(name), place, undefined);
  }

  #items(schema: JsonObject, at: FieldPath, place: Place, scope: RuleScope | undefined): void {
    const inner = schema['x-kubernetes-list-type'] === 'map' ? place : withUncorrelatable(place, at);
    const items = objectIn(schema, 'items');
    if (items) this.node(items, at.child('items'), inner, scope && childScope(schema, scope));
    for (const [i, each] of objectsIn(schema, 'items').entries())
      this.node(each, at.child('items').index(i), inner, scope && childScope(schema, scope));
  }

  #dependencies(schema: JsonObject, at: FieldPath, place: Place): void {
    for (const [name, each] of Object.entries(objectIn(schema, 'dependencies') ?? {}))
      if (isObject(each)) this.node(each, at.child('dependencies').key(name), place, undefined);
  }

  #extensions(schema: JsonObject, at: FieldPath): void {
    const errors = this.schemaErrors;
    const preserve = 'x-kubernetes-preserve-unknown-fields';
    if (schema[preserve] === false) errors.invalid(at.child(preserve), false, 'must be true or undefined');
    validateMapType(schema, at, errors);
    validateListType(schema, at, this.#options.requireAtomicSetType, errors);
    if (this.#options.requireMapListKeysMapSetValidation) validateMapKeys(schema, at, errors);
  }
}

function isSaid(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Keeps the outermost uncorrelatable path. */
function withUncorrelatable(place: Place, at: FieldPath): Place {
  return place.uncorrelatable === undefined ? { ...place, uncorrelatable: at } : place;
}

export interface SchemaContext {
  readonly options: ValidationOptions;
  /** The status subresource is enabled, so that the schema of the status is used on its own. */
  readonly hasStatus: boolean;
  /** The schema is that of the old definition. */
  readonly unchanged: boolean;
}

/** `at` is spec.validation if all versions share the schema. */
export function validateSchema(schema: JsonObject, at: FieldPath, context: SchemaContext, errors: FieldErrors): void {
  const schemaAt = at.child('openAPIV3Schema');
  const found = new FieldErrors();
  if (context.hasStatus) validateRootOfStatus(schema, at, found);
  if (schema.nullable === true) found.forbidden(at.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root');
  const obstacle = context.options.requireStructuralSchema ? structuralObstacle(schema) : undefined;
  const isSound =
    context.options.requireStructuralSchema && obstacle === undefined && isStructurallySound(schema, schemaAt, context, found);
  const costs = isSound ? new RuleCosts(schemaAt, context.unchanged) : undefined;
  validateOpenApiSchema(schema, schemaAt, context.options, costs, found);
  if (found.length === 0 && obstacle !== undefined) found.invalid(schemaAt, '', obstacle);
  costs?.reportTotal(found);
  errors.addAll(found);
}

/** Validates a schema that is not part of a definition: that of a resource in code. */
export function validateNewSchema(schema: JsonObject, at: FieldPath, hasStatus: boolean, errors: FieldErrors): void {
  validateSchema(schema, at, { options: ratchetingOptions({}, undefined, false), hasStatus, unchanged: false }, errors);
}

/** Checks the structure, then the defaults. Rules are checked only if both are valid. */
function isStructurallySound(schema: JsonObject, at: FieldPath, { options }: SchemaContext, errors: FieldErrors): boolean {
  const found = new FieldErrors();
  validateStructure(schema, at, found);
  if (found.length === 0) validateDefaults(parseSchema(schema), at, options.requirePrunedDefaults, found);
  errors.addAll(found);
  return found.length === 0;
}

/** The status is validated by the status property alone, so the root must not have other constraints. */
function validateRootOfStatus(schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const name of namesOfSetFields(schema)) {
    if (name === 'Type' && textIn(schema, 'type') !== 'object') {
      const message = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      errors.invalid(at.child('openAPIV3Schema.type'), textIn(schema, 'type'), message);
      return;
    }
    if (allowedAtRoot.includes(name)) continue;
    const message = `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.invalid(at.child('openAPIV3Schema'), internalSchema(schema), message);
    return;
  }
}
