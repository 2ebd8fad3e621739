import { deepEqual, type FieldErrors, type JsonObject, metadataOf, path, textIn } from '@tsukube/machinery';
import { flowControlDefaults } from './defaults.ts';
import { shownFlowSchemaSpec, shownLevelSpec } from './shown-spec.ts';

const specsOf = (objects: readonly JsonObject[]) =>
  new Map(objects.map((object) => [textIn(metadataOf(object), 'name'), object.spec as JsonObject]));

/** Every request matches one of these, whatever else is configured. */
const flowSchemas = specsOf(flowControlDefaults.mandatory.schemas);
const levels = specsOf(flowControlDefaults.mandatory.levels);

export function validateMandatorySchema(object: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const name = textIn(metadataOf(object), 'name');
  const fixed = flowSchemas.get(name);
  if (fixed && !deepEqual(fixed, spec))
    errors.invalid(path('spec'), shownFlowSchemaSpec(spec), `spec of '${name}' must equal the fixed value`);
}

export function validateMandatoryLevel(object: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const name = textIn(metadataOf(object), 'name');
  const { exempt: _, ...rest } = spec;
  if (name === 'exempt' && !deepEqual(rest, { type: 'Exempt' }))
    errors.invalid(
      path('spec'),
      shownLevelSpec(spec),
      `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`,
    );
  if (name === 'catch-all' && !deepEqual(spec, levels.get(name) as JsonObject))
    errors.invalid(path('spec'), shownLevelSpec(spec), `spec of '${name}' must equal the fixed value`);
}
