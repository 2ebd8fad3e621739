import type { AccessAttributes } from '@tsukube/apiserver';
import type { FieldRequirement, JsonObject, LabelOperator, LabelRequirement } from '@tsukube/machinery';

/** The spec of a SubjectAccessReview (v1) that asks about something: what is empty is left out. */
export function reviewSpec(access: AccessAttributes): JsonObject {
  const { user, verb, path } = access;
  return {
    ...(access.isResource ? { resourceAttributes: resourceAttributes(access) } : { nonResourceAttributes: said({ path, verb }) }),
    ...said({ user: user.name }),
    ...(user.groups.length > 0 && { groups: [...user.groups] }),
    ...(user.extra && Object.keys(user.extra).length > 0 && { extra: copied(user.extra) }),
    ...said({ uid: user.uid ?? '' }),
  };
}

function resourceAttributes(access: AccessAttributes): JsonObject {
  const { namespace, verb, group, version, resource, subresource, name } = access;
  const fields = (access.fieldSelector?.requirements ?? []).map(fieldRequirement);
  const labels = (access.labelSelector?.requirements ?? []).flatMap((one) => labelRequirement(one) ?? []);
  return {
    ...said({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  };
}

function said(texts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

function copied(extra: Readonly<Record<string, readonly string[]>>): JsonObject {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}

function fieldRequirement({ field, operator, value }: FieldRequirement): JsonObject {
  return { key: field, operator: operator === '=' ? 'In' : 'NotIn', values: [value] };
}

const operators: Readonly<Partial<Record<LabelOperator, string>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/** What a webhook has no word for is left out, which asks for more and not for less. */
function labelRequirement({ key, operator, values }: LabelRequirement): JsonObject | undefined {
  const word = operators[operator];
  if (word === undefined) return undefined;
  return { key, operator: word, ...(values.length > 0 && { values: [...values] }) };
}
