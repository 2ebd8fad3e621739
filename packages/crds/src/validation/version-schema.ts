import {
  FieldErrors,
  type FieldPath,
  type JsonObject,
  parseSchema,
  structuralObstacle,
  textIn,
  validateDefaults,
  validateStructure,
} from '@tsukube/machinery';
import { allowedAtRoot, internalSchema, namesOfSaid } from './internal-form.ts';
import type { Demands } from './leniency.ts';
import { validateOpenApiSchema } from './open-api-schema.ts';
import { RuleCosts } from './rule-costs.ts';

export interface SchemaContext {
  readonly demands: Demands;
  /** The status can be written on its own, so that its schema has to be found on its own. */
  readonly hasStatus: boolean;
  /** The schema is what it was. */
  readonly unchanged: boolean;
}

/** `at` is where the schema is: spec.validation if all versions share it. */
export function validateSchema(schema: JsonObject, at: FieldPath, context: SchemaContext, errors: FieldErrors): void {
  const schemaAt = at.child('openAPIV3Schema');
  const found = new FieldErrors();
  if (context.hasStatus) validateRootOfStatus(schema, at, found);
  if (schema.nullable === true) found.forbidden(at.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root');
  const obstacle = context.demands.structural ? structuralObstacle(schema) : undefined;
  const isSound = context.demands.structural && obstacle === undefined && isStructurallySound(schema, schemaAt, context, found);
  const costs = isSound ? new RuleCosts(schemaAt, context.unchanged) : undefined;
  validateOpenApiSchema(schema, schemaAt, context.demands, costs, found);
  if (found.length === 0 && obstacle !== undefined) found.invalid(schemaAt, '', obstacle);
  costs?.reportTotal(found);
  errors.addAll(found);
}

/** Structure first, then defaults: rules are looked at only where both are right. */
function isStructurallySound(schema: JsonObject, at: FieldPath, { demands }: SchemaContext, errors: FieldErrors): boolean {
  const found = new FieldErrors();
  validateStructure(schema, at, found);
  if (found.length === 0) validateDefaults(parseSchema(schema), at, demands.prunedDefaults, found);
  errors.addAll(found);
  return found.length === 0;
}

/** The schema of the status is taken out of the whole, and must not lose anything by that. */
function validateRootOfStatus(schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const name of namesOfSaid(schema)) {
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
