import type { JsonValue } from '@tsukube/machinery';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  type CelSchema,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  compile,
  createEnvironment,
  declaredSizes,
  declareType,
  dynamicJson,
  dynType,
  formatType,
  jsonReader,
} from '@tsukube/machinery/cel';

/** An expression and the value of `self`. */
export interface Case {
  readonly expr: string;
  readonly schema?: CelSchema;
  readonly data?: JsonValue;
  readonly limit?: number;
}

/** The result of compiling, estimating and evaluating an expression. */
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

/** A canonical text of a value that distinguishes types, used in expectations. */
export function canon(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof CelList) return `[${Array.from({ length: value.size }, (_, i) => canon(value.at(i))).join(',')}]`;
  if (value instanceof CelMap) return mapText(value);
  if (value instanceof CelOptional) return value.value === undefined ? 'none' : `some(${canon(value.value)})`;
  return scalarText(value);
}

function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => `${canon(key)}:${canon(map.find(key) ?? null)}`);
  return `{${entries.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(',')}}`;
}

function scalarText(value: CelValue): string {
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return doubleText(value.value);
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`;
  if (value instanceof CelTimestamp) return `ts${value.seconds}.${String(value.nanoseconds).padStart(9, '0')}`;
  if (value instanceof CelDuration) return `dur${value.nanoseconds}`;
  if (value instanceof CelTypeValue) return `type:${value.type.name}`;
  if (value instanceof CelError) return `err(${value.message})`;
  return value instanceof CelOpaque ? opaqueText(value) : '';
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'dNaN';
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return `d${bytes.toString('hex')}`;
}

/** The text of an opaque value of a library: its type, and its string form if it has one. */
function opaqueText(value: CelOpaque): string {
  const text = value.text?.();
  return text === undefined ? `opaque:${value.type.name}` : `${value.type.name}:${text}`;
}
