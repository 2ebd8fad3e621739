import { deepEqual, type FieldErrors, type JsonObject, path } from '@tsukube/machinery';
import { metadataOf } from '../columns.ts';
import { textIn } from '../core/pod-spec/members.ts';
import { shownFlowSchemaSpec, shownLevelSpec } from './shown-spec.ts';

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

function ofGroups(...names: readonly string[]): JsonObject {
  return { subjects: names.map((name) => ({ kind: 'Group', group: { name } })), ...everything };
}

/** Every request matches one of these, whatever else is configured. */
const flowSchemas = new Map<string, JsonObject>([
  ['exempt', { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules: [ofGroups('system:masters')] }],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [ofGroups('system:unauthenticated', 'system:authenticated')],
    },
  ],
]);

const catchAllLevel: JsonObject = {
  type: 'Limited',
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
};

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
  if (name === 'catch-all' && !deepEqual(spec, catchAllLevel))
    errors.invalid(path('spec'), shownLevelSpec(spec), `spec of '${name}' must equal the fixed value`);
}
