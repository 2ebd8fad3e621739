import { type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { boolType } from '@tsukube/machinery/cel';
import {
  type AdmissionExpression,
  admissionEnvironment,
  compileExpression,
  compileMatchConditions,
  type MatchConditionMetrics,
  type MatchConditions,
  mutationTypes,
  namedExpression,
  VariableCompiler,
} from '../cel/index.ts';

/** The compiled expressions of a MutatingAdmissionPolicy. */
export interface MutatingEvaluator {
  readonly conditions: MatchConditions;
  readonly mutations: readonly Mutation[];
  /** Runs again if a later plugin or policy has changed the object. */
  readonly isReinvoked: boolean;
  readonly composition: VariableCompiler;
}

export interface Mutation {
  readonly patchType: keyof typeof mutationTypes;
  readonly expression: AdmissionExpression;
}

export function compileMutatingPolicy(spec: JsonObject, metrics: MatchConditionMetrics): MutatingEvaluator {
  const composition = new VariableCompiler();
  const features = {
    params: objectIn(spec, 'paramKind') !== undefined,
    authorizer: true,
    variables: composition.type,
  };
  const environment = admissionEnvironment(features);
  const mutating = admissionEnvironment({ ...features, mutation: true });
  for (const variable of objectsIn(spec, 'variables')) composition.add(namedExpression(variable), environment);
  return {
    conditions: compileMatchConditions(objectsIn(spec, 'matchConditions'), {
      failurePolicy: textIn(spec, 'failurePolicy') || 'Fail',
      metrics,
      compile: (text) => compileExpression(text, [boolType], environment),
      composition,
    }),
    mutations: objectsIn(spec, 'mutations').map((mutation): Mutation => {
      const patchType = textIn(mutation, 'patchType') === 'JSONPatch' ? 'JSONPatch' : 'ApplyConfiguration';
      const patch = objectIn(mutation, patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration');
      const text = textIn(patch, 'expression');
      return { patchType, expression: compileExpression(text, [mutationTypes[patchType]], mutating) };
    }),
    isReinvoked: textIn(spec, 'reinvocationPolicy') === 'IfNeeded',
    composition,
  };
}
