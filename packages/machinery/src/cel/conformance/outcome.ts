import type { JsonValue } from '../../schema/type.ts';
import { compile } from '../compile.ts';
import { createEnvironment } from '../environment.ts';
import { declaredSizes } from '../types/declared-sizes.ts';
import { declareType } from '../types/declared-type.ts';
import type { CelSchema } from '../types/schema.ts';
import { dynType, formatType } from '../types/type.ts';
import { jsonReader } from '../values/json.ts';
import { dynamicJson } from '../values/json-dynamic.ts';
import { canon } from './canonical.ts';

/** An expression with what `self` is. */
export interface Case {
  readonly expr: string;
  readonly schema?: CelSchema;
  readonly data?: JsonValue;
  readonly limit?: number;
}

/** Everything that is known of an expression and of one evaluation of it. */
export interface CaseOutcome {
  readonly compile?: string;
  readonly program?: string;
  readonly type?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
  readonly min?: number;
  readonly max?: number;
}

export function outcomeOf({ expr, schema, data = null, limit }: Case): CaseOutcome {
  const declared = schema === undefined ? undefined : declareType(schema, false, 'selfType');
  const compiled = compile(expr, createEnvironment({ variables: { self: declared?.type ?? dynType } }));
  if (!compiled.ok)
    return compiled.stage === 'program' ? { type: undefined, program: compiled.text } : { compile: compiled.text };
  const self = schema === undefined ? dynamicJson(data) : jsonReader(schema)(data);
  const outcome = compiled.evaluate({ self }, { costLimit: limit });
  const estimate = compiled.estimateCost(declared && declaredSizes(declared));
  const common = { type: formatType(compiled.type), cost: outcome.cost, ...estimate };
  return outcome.ok ? { ...common, value: canon(outcome.value) } : { ...common, error: outcome.error };
}
