import { aggregateMessage, isObject, type JsonObject } from '@tsukube/machinery';

/** Evaluates all conditions on the spec of a review; a string is an evaluation error. */
export type ReviewMatchConditions = (spec: JsonObject) => boolean | string;

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const object = (properties: Readonly<Record<string, object>>) => ({ type: 'object', properties }) as const;
const requirement = object({ key: text, operator: text, values: texts });
const selector = object({ rawSelector: text, requirements: { type: 'array', items: requirement } });

/** Variables of the expressions. */
const requestSchema = object({
  resourceAttributes: object({
    ...{ namespace: text, verb: text, group: text, version: text, resource: text, subresource: text, name: text },
    ...{ fieldSelector: selector, labelSelector: selector },
  }),
  nonResourceAttributes: object({ path: text, verb: text }),
  user: text,
  groups: texts,
  extra: { type: 'object', additionalProperties: texts },
  uid: text,
});

/** Throws if an expression does not compile or is not boolean. Loads CEL only if there are expressions. */
export async function compileReviewMatchConditions(expressions: readonly string[]): Promise<ReviewMatchConditions> {
  if (expressions.length === 0) return () => true;
  const { compile, createEnvironment, declareType, dynType, formatType, jsonReader } = await import('@tsukube/machinery/cel');
  const declared = declareType(requestSchema, false, 'kubernetes.SubjectAccessReviewSpec');
  const environment = createEnvironment({ variables: { request: declared?.type ?? dynType } });
  const read = jsonReader(requestSchema);
  const programs = expressions.map((expression) => {
    const compiled = compile(expression, environment);
    if (!compiled.ok) throw new Error(`compilation failed: ${compiled.text}`);
    if (compiled.type.kind !== 'bool') throw new Error(`must evaluate to bool but got ${formatType(compiled.type)}`);
    return compiled;
  });
  return (spec) => {
    const request = read(complete(spec));
    const errors: string[] = [];
    for (const program of programs) {
      const outcome = program.evaluate({ request });
      if (!outcome.ok)
        errors.push(`cel evaluation error: expression '${program.expression}' resulted in error: ${outcome.error}`);
      else if (outcome.value === false) return false;
    }
    return errors.length === 0 || aggregateMessage(errors);
  };
}

const attributes = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'];

/** Expressions see all string fields, even empty ones. */
function complete(spec: JsonObject): JsonObject {
  const filled: JsonObject = { user: '', groups: [], uid: '', extra: {}, ...spec };
  if (isObject(spec.resourceAttributes)) {
    const empty = Object.fromEntries(attributes.map((name) => [name, '']));
    filled.resourceAttributes = { ...empty, ...spec.resourceAttributes };
  }
  if (isObject(spec.nonResourceAttributes)) filled.nonResourceAttributes = { path: '', verb: '', ...spec.nonResourceAttributes };
  return filled;
}
