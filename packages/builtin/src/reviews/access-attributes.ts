import { type AccessAttributes, type SelectedBy, selectedBy, type User } from '@tsukube/apiserver';
import {
  type FieldRequirement,
  type JsonObject,
  type LabelRequirement,
  labelSelectorOf,
  objectIn,
  objectsIn,
  parseFieldSelector,
  parseLabelSelector,
  textIn,
  textsIn,
} from '@tsukube/machinery';

/** The attributes of a validated spec. */
export function accessIn(spec: JsonObject, user: User): AccessAttributes {
  const resource = objectIn(spec, 'resourceAttributes');
  const path = objectIn(spec, 'nonResourceAttributes');
  const of = (field: string) => textIn(resource, field);
  return {
    user,
    isResource: resource !== undefined,
    verb: textIn(resource ?? path, 'verb'),
    group: of('group'),
    version: resource ? of('version') || '*' : '',
    resource: of('resource'),
    subresource: of('subresource'),
    namespace: of('namespace'),
    name: of('name'),
    path: resource ? '' : textIn(path, 'path'),
    fieldSelector: fieldSelectorIn(objectIn(resource, 'fieldSelector')),
    labelSelector: labelSelectorIn(objectIn(resource, 'labelSelector')),
  };
}

function fieldSelectorIn(selector: JsonObject | undefined): SelectedBy<FieldRequirement> | undefined {
  const requirements = objectsIn(selector, 'requirements');
  if (requirements.length === 0) return selectedBy(textIn(selector, 'rawSelector'), parseFieldSelector);
  return validRequirements(requirements, fieldRequirement);
}

function labelSelectorIn(selector: JsonObject | undefined): SelectedBy<LabelRequirement> | undefined {
  const requirements = objectsIn(selector, 'requirements');
  if (requirements.length === 0) return selectedBy(textIn(selector, 'rawSelector'), parseLabelSelector);
  return validRequirements(requirements, (expression) => labelSelectorOf({ matchExpressions: [expression] }).requirements[0]);
}

/** The valid requirements. Dropping an invalid one widens the request, which is the safe direction. */
function validRequirements<Requirement>(
  expressions: readonly JsonObject[],
  read: (expression: JsonObject) => Requirement | undefined,
): SelectedBy<Requirement> {
  const requirements: Requirement[] = [];
  const errors: string[] = [];
  for (const expression of expressions) {
    try {
      const requirement = read(expression);
      if (requirement) requirements.push(requirement);
    } catch (error) {
      errors.push((error as Error).message);
    }
  }
  return errors.length === 0 ? { requirements } : { requirements, error: errors.join(', ') };
}

function fieldRequirement(expression: JsonObject): FieldRequirement {
  const [operator, values] = [textIn(expression, 'operator'), textsIn(expression, 'values')];
  const [value] = values;
  if (values.length > 1) throw new Error('fieldSelectors do not yet support multiple values');
  if (operator === 'Exists' || operator === 'DoesNotExist') throw new Error(`fieldSelectors do not yet support ${operator}`);
  if (operator !== 'In' && operator !== 'NotIn')
    throw new Error(`${JSON.stringify(operator)} is not a valid field selector operator`);
  if (value === undefined) throw new Error(`fieldSelectors ${operator === 'In' ? 'in' : 'not in'} must have one value`);
  return { field: textIn(expression, 'key'), operator: operator === 'In' ? '=' : '!=', value };
}

/** The subject of a review. */
export function subjectIn(spec: JsonObject): User {
  const extra = new Map<string, readonly string[]>();
  const given = objectIn(spec, 'extra') ?? {};
  for (const key of Object.keys(given)) extra.set(key, textsIn(given, key));
  return {
    name: textIn(spec, 'user'),
    uid: textIn(spec, 'uid'),
    groups: textsIn(spec, 'groups'),
    extra: Object.fromEntries(extra),
  };
}
