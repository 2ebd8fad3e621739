import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../../../tests/support/cel-outcome.ts';
import { parseJson } from '../../json/parse.ts';
import type { JsonValue } from '../../json/value.ts';
import type { CelSchema } from '../types/declared-type.ts';

/** Result of an expression in the libraries of Kubernetes 1.36: a value and its cost, or errors. */
interface Expectation {
  readonly compile?: string;
  readonly program?: string;
  readonly type?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
  readonly estimate?: readonly [min: number, max: number];
}

interface Group {
  readonly group: string;
  readonly schema?: CelSchema;
  readonly data: JsonValue;
  readonly cases: readonly (readonly [expression: string, Expectation])[];
}

const files = ['expressions.json', 'generated.json'];
const read = (name: string) => parseJson(readFileSync(new URL(name, import.meta.url))).value as unknown as readonly Group[];
const groups = files.flatMap(read);

describe.each(groups)('$group', ({ schema, data, cases }) => {
  it.each(cases)('%s', (expr, expected) => {
    const { min, max, ...outcome } = outcomeOf({ expr, schema, data });
    const [least, most] = expected.estimate ?? [];
    expect(outcome).toEqual({ ...expected, estimate: undefined });
    expect([min, max]).toEqual([least, most].map((each) => (each === undefined ? undefined : Number(each))));
  });
});
