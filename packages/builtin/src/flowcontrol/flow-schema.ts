import { ageColumn, column, nameColumn, type Resource } from '@tsukube/apiserver';
import {
  ensureObject,
  type FieldErrors,
  fillIn,
  type JsonObject,
  metadataOf,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { flowResource } from './flow-kind.ts';
import { validateFlowRule } from './flow-rules.ts';
import { validateMandatorySchema } from './mandatory.ts';

const specType = 'io.k8s.api.flowcontrol.v1.FlowSchemaSpec';
const defaultPrecedence = 1000;
const maxPrecedence = 10_000;

const flowSchemaKind = flowResource({
  kind: 'FlowSchema',
  columns: [
    nameColumn,
    column('PriorityLevel', { type: 'io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference', field: 'name' }, (object) =>
      levelOf(objectIn(object, 'spec')),
    ),
    column('MatchingPrecedence', { type: specType, field: 'matchingPrecedence' }, precedenceOf),
    column('DistinguisherMethod', { type: specType, field: 'distinguisherMethod' }, (object) => {
      const method = objectIn(objectIn(object, 'spec'), 'distinguisherMethod');
      return method ? textIn(method, 'type') : '<none>';
    }),
    ageColumn,
    {
      name: 'MissingPL',
      type: 'string',
      description: 'references a broken or non-existent PriorityLevelConfiguration',
      value: missingLevel,
    },
  ],
  applyDefaults: (object) => fillIn(ensureObject(object, 'spec'), 'matchingPrecedence', defaultPrecedence),
  validate,
});

export const flowSchema: Resource = { ...flowSchemaKind, rowRank: precedenceOf };

function precedenceOf(object: JsonObject): number {
  return numberIn(objectIn(object, 'spec'), 'matchingPrecedence');
}

function levelOf(spec: JsonObject | undefined): string {
  return textIn(objectIn(spec, 'priorityLevelConfiguration'), 'name');
}

function missingLevel(object: JsonObject): string {
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  const dangling = conditions.find((condition) => condition.type === 'Dangling');
  return dangling ? textIn(dangling, 'status') : '?';
}

const distinguishers = ['ByNamespace', 'ByUser'];
const specPath = path('spec');

function validate(object: JsonObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  validatePrecedence(numberIn(spec, 'matchingPrecedence'), metadataOf(object).name === 'exempt', errors);
  const method = objectIn(spec, 'distinguisherMethod');
  const methodType = textIn(method, 'type');
  if (method && !distinguishers.includes(methodType))
    errors.notSupported(specPath.child('distinguisherMethod', 'type'), { Type: methodType }, distinguishers);
  const [level, at] = [levelOf(spec), specPath.child('priorityLevelConfiguration', 'name')];
  if (level === '') errors.required(at, 'must reference a priority level');
  else for (const problem of nameIsDNSSubdomain(level, false)) errors.invalid(at, level, problem);
  for (const [i, rule] of objectsIn(spec, 'rules').entries()) validateFlowRule(rule, specPath.child('rules').index(i), errors);
  validateMandatorySchema(object, spec, errors);
}

/** One goes before all others, and is reserved for the schema that lets administrators in. */
function validatePrecedence(precedence: number, exempt: boolean, errors: FieldErrors): void {
  const at = specPath.child('matchingPrecedence');
  if (precedence <= 0) errors.invalid(at, precedence, 'must be a positive value');
  if (precedence > maxPrecedence) errors.invalid(at, precedence, `must not be greater than ${maxPrecedence}`);
  if (precedence === 1 && !exempt) errors.invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
}
