import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../errors/field-errors.ts';
import type { StatusCause } from '../errors/status.ts';
import { sortKeys } from '../json/stringify.ts';
import type { JsonObject } from '../json/value.ts';
import { compileSchema } from './compile.ts';
import type { CompiledSchema } from './compiled-schema.ts';

/** The recorded response of a kube-apiserver; see scripts/record-schema-cases.mjs. */
interface Recording {
  readonly schema: JsonObject;
  readonly cases: readonly Case[];
}

interface Case {
  readonly title: string;
  readonly object: JsonObject;
  /** The object that is updated. */
  readonly old?: JsonObject;
  readonly answer: Answer;
}

interface Answer {
  readonly code: number;
  readonly warnings?: readonly string[];
  readonly causes?: readonly StatusCause[];
  readonly message?: string;
  readonly object?: JsonObject;
}

const folder = new URL('./recorded/', import.meta.url);

for (const file of readdirSync(folder)) {
  const { schema, cases } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recording;
  describe(basename(file, '.json'), () => {
    const compiled = compileSchema(schema);
    it.each(cases)('$title', (each) => {
      const answer = answerTo(each, compiled, basename(file, '.json'));
      expect(answer).toEqual({ ...each.answer, ...(each.answer.message && { message: reasonIn(each.answer.message) }) });
    });
  });
}

function answerTo({ object, old }: Case, compiled: CompiledSchema, name: string): Answer {
  const [sent, stored] = [rootOf(object, name, 'sample'), old && rootOf(old, name, 'sample')];
  if (stored) compiled.normalize(stored, 'store');
  const { unknown, error } = compiled.normalize(sent, 'request');
  if (error !== undefined) return { code: 400, message: error };
  const errors = new FieldErrors();
  compiled.validateValues(sent, stored, errors);
  const warnings = [...unknown, ...compiled.validateRules(sent, stored, errors, 'object')];
  const head = { code: answerCode(errors, old), ...(warnings.length > 0 && { warnings }) };
  if (errors.length > 0) return { ...head, causes: errors.causes().sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)) };
  const { apiVersion, kind, metadata, ...rest } = sent;
  return { ...head, object: sortKeys(rest) as JsonObject };
}

function answerCode(errors: FieldErrors, old: JsonObject | undefined): number {
  if (errors.length > 0) return 422;
  return old === undefined ? 201 : 200;
}

function rootOf(object: JsonObject, kind: string, name: string): JsonObject {
  return { apiVersion: 'recorded.example.com/v1', kind, metadata: { name }, ...structuredClone(object) };
}

function orderOf({ field, message }: StatusCause): string {
  return `${field} ${message}`;
}

/** The reason without the surrounding message of the server. */
function reasonIn(message: string): string {
  return message.replace(/^.*? cannot be handled as a \w+: /, '');
}
