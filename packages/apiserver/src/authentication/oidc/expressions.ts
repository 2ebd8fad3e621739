import type { JsonObject, JsonValue } from '@tsukube/machinery';
import type { JwtConfiguration } from './configuration.ts';

/** A CEL expression over claims, or over the mapped user. */
export interface CompiledExpression {
  readonly text: string;
  evaluate(value: JsonObject): { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly error: string };
}

export interface CompiledClaimRule {
  readonly expression: CompiledExpression;
  readonly message: string;
}

/** The compiled expressions of a configuration. */
export interface CompiledExpressions {
  readonly username?: CompiledExpression;
  readonly groups?: CompiledExpression;
  readonly uid?: CompiledExpression;
  readonly extra: readonly { readonly key: string; readonly expression: CompiledExpression }[];
  readonly claimRules: readonly CompiledClaimRule[];
  readonly userRules: readonly CompiledClaimRule[];
}

/** Called with the field path, the expression and the compile error. */
export type OnInvalid = (place: readonly (string | number)[], expression: string, problem: string) => void;
type Subject = 'claims' | 'user';
type CompileOne = (
  place: readonly (string | number)[],
  text: string | undefined,
  subject: Subject,
  mustBeBool?: boolean,
) => CompiledExpression | undefined;

/** Loads CEL only if there are expressions. */
export async function compileExpressions(configuration: JwtConfiguration, onInvalid: OnInvalid): Promise<CompiledExpressions> {
  const compileOne = hasExpressions(configuration) ? await expressionCompiler(onInvalid) : () => undefined;
  const { claimMappings, claimValidationRules = [], userValidationRules = [] } = configuration;
  const { username, groups, uid, extra = [] } = claimMappings;
  const mapping = (name: string, text: string | undefined) => compileOne(['claimMappings', name, 'expression'], text, 'claims');
  const [named, grouped, identified] = [
    mapping('username', username?.expression),
    mapping('groups', groups?.expression),
    mapping('uid', uid?.expression),
  ];
  return {
    ...(named && { username: named }),
    ...(grouped && { groups: grouped }),
    ...(identified && { uid: identified }),
    extra: extra.flatMap(({ key, valueExpression }, i) => {
      const expression = compileOne(['claimMappings', 'extra', i, 'valueExpression'], valueExpression, 'claims');
      return expression ? [{ key, expression }] : [];
    }),
    claimRules: rules(claimValidationRules, 'claimValidationRules', 'claims', compileOne),
    userRules: rules(userValidationRules, 'userValidationRules', 'user', compileOne),
  };
}

function rules(
  all: readonly { readonly expression?: string; readonly message?: string }[],
  field: string,
  subject: Subject,
  compileOne: CompileOne,
): readonly CompiledClaimRule[] {
  return all.flatMap(({ expression, message = '' }, i) => {
    const compiled = compileOne([field, i, 'expression'], expression, subject, true);
    return compiled ? [{ expression: compiled, message }] : [];
  });
}

function hasExpressions({ claimMappings, claimValidationRules = [], userValidationRules = [] }: JwtConfiguration): boolean {
  const { username, groups, uid, extra = [] } = claimMappings;
  const mapped = [username, groups, uid].some((mapping) => mapping?.expression);
  return (
    mapped || extra.length > 0 || userValidationRules.length > 0 || claimValidationRules.some(({ expression }) => expression)
  );
}

async function expressionCompiler(onInvalid: OnInvalid): Promise<CompileOne> {
  const cel = await import('@tsukube/machinery/cel');
  const { stringType: text, listType, mapType, anyType } = cel;
  const fields = { username: text, uid: text, groups: listType(text), extra: mapType(text, listType(text)) };
  const userType = cel.objectType('kubernetes.UserInfo', (name) =>
    Object.hasOwn(fields, name) ? fields[name as 'uid'] : undefined,
  );
  const environments = {
    claims: cel.createEnvironment({ variables: { claims: mapType(text, anyType) } }),
    user: cel.createEnvironment({ variables: { user: userType } }),
  };
  return (place, expression, subject, mustBeBool = false) => {
    if (!expression) return undefined;
    const compiled = cel.compile(expression, environments[subject]);
    if (!compiled.ok) return void onInvalid(place, expression, failure(compiled));
    if (mustBeBool && compiled.type.kind !== 'bool') return void onInvalid(place, expression, 'must evaluate to bool');
    return {
      text: expression,
      evaluate(value) {
        const outcome = compiled.evaluate({ [subject]: cel.dynamicJson(value) });
        return outcome.ok ? { ok: true, value: cel.toJson(outcome.value) } : { ok: false, error: outcome.error };
      },
    };
  };
}

function failure({ stage, text }: { readonly stage: 'compilation' | 'program'; readonly text: string }): string {
  return stage === 'compilation' ? `compilation failed: ${text}` : `program instantiation failed: ${text}`;
}
