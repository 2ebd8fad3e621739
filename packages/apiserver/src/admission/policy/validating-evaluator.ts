import { type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { boolType, nullType, stringType } from '@tsukube/machinery/cel';
import {
  type AdmissionExpression,
  admissionEnvironment,
  compileExpression,
  compileMatchConditions,
  type MatchConditionMetrics,
  type MatchConditions,
  namedExpression,
  VariableCompiler,
} from '../cel/index.ts';

/** The compiled expressions of a ValidatingAdmissionPolicy. */
export interface ValidatingEvaluator {
  readonly conditions: MatchConditions;
  readonly validations: readonly Validation[];
  readonly annotations: readonly AuditAnnotation[];
  readonly hasMessageExpressions: boolean;
  readonly composition: VariableCompiler;
}

export interface Validation {
  readonly expression: AdmissionExpression;
  readonly message: string;
  readonly messageExpression: AdmissionExpression | undefined;
  readonly reason: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly expression: AdmissionExpression;
}

export function compileValidatingPolicy(spec: JsonObject, metrics: MatchConditionMetrics): ValidatingEvaluator {
  const composition = new VariableCompiler();
  const params = objectIn(spec, 'paramKind') !== undefined;
  const environment = admissionEnvironment({ params, authorizer: true, variables: composition.type });
  const messages = admissionEnvironment({ params, authorizer: false, variables: composition.type });
  for (const variable of objectsIn(spec, 'variables')) composition.add(namedExpression(variable), environment);
  const condition = (text: string) => compileExpression(text, [boolType], environment);
  const validations = objectsIn(spec, 'validations').map((validation): Validation => {
    const message = textIn(validation, 'messageExpression');
    return {
      expression: condition(textIn(validation, 'expression')),
      message: textIn(validation, 'message').trim(),
      messageExpression: message === '' ? undefined : compileExpression(message, [stringType], messages),
      reason: textIn(validation, 'reason') || 'Invalid',
    };
  });
  return {
    conditions: compileMatchConditions(objectsIn(spec, 'matchConditions'), {
      failurePolicy: textIn(spec, 'failurePolicy') || 'Fail',
      metrics,
      compile: condition,
      composition,
    }),
    validations,
    annotations: objectsIn(spec, 'auditAnnotations').map((annotation) => ({
      key: textIn(annotation, 'key'),
      expression: compileExpression(textIn(annotation, 'valueExpression'), [stringType, nullType], environment),
    })),
    hasMessageExpressions: validations.some(({ messageExpression }) => messageExpression !== undefined),
    composition,
  };
}
