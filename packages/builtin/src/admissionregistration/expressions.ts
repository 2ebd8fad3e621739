import {
  type AdmissionExpression,
  admissionEnvironment,
  compileExpression,
  compileWebhookCondition,
  mutationTypes,
  namedExpression,
  VariableCompiler,
} from '@tsukube/apiserver';
import { type FieldErrors, type FieldPath, type JsonObject, objectIn } from '@tsukube/machinery';
import { boolType, type CelType, type Environment, nullType, stringType } from '@tsukube/machinery/cel';

/** Compiles the expressions of a policy and reports those that do not compile. */
export class PolicyExpressions {
  readonly #composition = new VariableCompiler();
  readonly #params: boolean;
  readonly #variables: CelType | undefined;
  readonly #errors: FieldErrors;
  readonly #environments = new Map<string, Environment>();

  /** Expressions can use `variables` if `isComposed`. */
  constructor(spec: JsonObject, isComposed: boolean, errors: FieldErrors) {
    this.#params = objectIn(spec, 'paramKind') !== undefined;
    this.#variables = isComposed ? this.#composition.type : undefined;
    this.#errors = errors;
  }

  /** Match conditions cannot use `variables`. */
  matchCondition(text: string, at: FieldPath): void {
    const environment = this.#environment('condition', { authorizer: true, variables: undefined });
    this.#report(compileExpression(text, [boolType], environment), at);
  }

  variable(variable: JsonObject, at: FieldPath): void {
    this.#report(this.#composition.add(namedExpression(variable), this.#validation()), at);
  }

  validation(text: string, at: FieldPath): void {
    this.#report(compileExpression(text, [boolType], this.#validation()), at);
  }

  message(text: string, at: FieldPath): void {
    const environment = this.#environment('message', { authorizer: false, variables: this.#variables });
    this.#report(compileExpression(text, [stringType], environment), at);
  }

  /** The error shows the expression as it was written. */
  annotation(text: string, at: FieldPath): void {
    const compiled = compileExpression(text.trim(), [stringType, nullType], this.#validation());
    this.#report({ ...compiled, text } as AdmissionExpression, at);
  }

  mutation(text: string, patchType: keyof typeof mutationTypes, at: FieldPath): void {
    const environment = this.#environment('mutation', { authorizer: true, variables: this.#variables, mutation: true });
    this.#report(compileExpression(text.trim(), [mutationTypes[patchType]], environment), at);
  }

  #validation(): Environment {
    return this.#environment('validation', { authorizer: true, variables: this.#variables });
  }

  #environment(
    name: string,
    {
      variables,
      ...features
    }: { readonly authorizer: boolean; readonly mutation?: boolean; readonly variables: CelType | undefined },
  ): Environment {
    const known = this.#environments.get(name);
    if (known) return known;
    const environment = admissionEnvironment({ ...features, params: this.#params, ...(variables && { variables }) });
    this.#environments.set(name, environment);
    return environment;
  }

  #report(expression: AdmissionExpression, at: FieldPath): void {
    reportExpression(expression, at, this.#errors);
  }
}

function reportExpression({ text, error }: AdmissionExpression, at: FieldPath, errors: FieldErrors): void {
  if (error === undefined) return;
  if (error.startsWith('program instantiation failed')) errors.internal(at, error);
  else errors.invalid(at, text, error);
}

/** Compiles a match condition of a webhook. */
export function validateWebhookCondition(text: string, at: FieldPath, errors: FieldErrors): void {
  reportExpression(compileWebhookCondition(text), at, errors);
}
