import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { builtinTypes } from '@tsukube/api';
import { checkObject, FieldErrors, type JsonObject, type KubeObject, path, type StatusCause } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from './custom-resource-definition.ts';

/** A recorded answer of kube-apiserver; see scripts/record-definition-cases.mjs. */
interface Case {
  readonly title: string;
  readonly spec: JsonObject;
  readonly metadata?: JsonObject;
  /** The spec before the update. */
  readonly old?: JsonObject;
  readonly answer: Answer;
}

interface Answer {
  readonly code: number;
  readonly warnings?: readonly string[];
  readonly causes?: readonly StatusCause[];
  readonly spec?: JsonObject;
}

const { strategy, hub } = customResourceDefinition;
const user = { name: 'u', groups: [] };
const folder = new URL('./recorded/', import.meta.url);

for (const file of readdirSync(folder)) {
  const cases = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Case[];
  describe(basename(file, '.json'), () => {
    it.each(cases)('$title', (each) => {
      const answer = each.old ? answerToUpdate(each, each.old) : answerToCreate(each);
      expect(answer).toEqual(each.answer);
    });
  });
}

function answerToCreate({ spec, metadata }: Case): Answer {
  const object = decoded(spec, metadata ?? { name: nameOf(spec) });
  strategy.prepareForCreate?.(object as KubeObject, user, hub);
  const errors = new FieldErrors();
  const { name } = object.metadata as { name: string };
  for (const problem of strategy.validateName?.(name, false) ?? []) errors.invalid(path('metadata', 'name'), name, problem);
  strategy.validateCreate?.(object as KubeObject, errors, hub);
  return shown(201, object, errors, strategy.warnings?.(object as KubeObject, undefined) ?? []);
}

function answerToUpdate({ spec, metadata }: Case, oldSpec: JsonObject): Answer {
  const old = decoded(oldSpec, metadata ?? { name: nameOf(oldSpec) });
  strategy.prepareForCreate?.(old as KubeObject, user, hub);
  (old.status as JsonObject).conditions = [{ type: 'Established', status: 'True' }];
  const object = decoded(spec, metadata ?? { name: nameOf(oldSpec) });
  strategy.prepareForUpdate?.(object as KubeObject, old as KubeObject, hub);
  const errors = new FieldErrors();
  strategy.validateUpdate?.(object as KubeObject, old as KubeObject, errors, hub);
  return shown(200, object, errors, strategy.warnings?.(object as KubeObject, old as KubeObject) ?? []);
}

function decoded(spec: JsonObject, metadata: JsonObject): JsonObject {
  const given = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec: structuredClone(spec),
  };
  const { value, error } = checkObject(given, builtinTypes.get(hub.schema.type), builtinTypes);
  expect(error).toBeUndefined();
  strategy.applyDefaults?.(value as KubeObject);
  return value;
}

function nameOf(spec: JsonObject): string {
  return `${(spec.names as JsonObject).plural}.${spec.group}`;
}

function shown(code: number, { spec }: JsonObject, errors: FieldErrors, warnings: readonly string[]): Answer {
  if (errors.length === 0) return { code, ...(warnings.length > 0 && { warnings }), spec: spec as JsonObject };
  const order = ({ field, message }: StatusCause) => `${field} ${message}`;
  return { code: 422, causes: errors.causes().sort((a, b) => (order(a) < order(b) ? -1 : 1)) };
}
