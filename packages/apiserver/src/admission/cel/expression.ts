import { anyType, type CelType, type Compiled, compile, type Environment, sameType } from '@tsukube/machinery/cel';

/** A compiled expression, or the error that explains why it cannot be evaluated. */
export type AdmissionExpression =
  | { readonly text: string; readonly program: Compiled; readonly error?: undefined }
  | { readonly text: string; readonly program?: undefined; readonly error: string };

/** Compiles an expression that must result in one of the types. `anyType` allows all. */
export function compileExpression(text: string, returns: readonly CelType[], environment: Environment): AdmissionExpression {
  const compiled = compile(text, environment);
  if (!compiled.ok) {
    const stage = compiled.stage === 'compilation' ? 'compilation failed' : 'program instantiation failed';
    return { text, error: `${stage}: ${compiled.text}` };
  }
  if (returns.some((type) => type === anyType || sameType(type, compiled.type))) return { text, program: compiled };
  return { text, error: `must evaluate to ${wanted(returns)} but got ${declaredName(compiled.type)}` };
}

function wanted(returns: readonly CelType[]): string {
  const names = returns.map(declaredName);
  return names.length === 1 ? (names[0] ?? '') : `one of [${names.join(' ')}]`;
}

/** The full name of a type: `list(string)`, `google.protobuf.Timestamp`. */
function declaredName({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(declaredName).join(', ')})`;
}
