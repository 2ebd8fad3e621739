import {
  type Column,
  type Resource,
  type ServedVersion,
  type Strategy,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { type FieldErrors, type JsonObject, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { statusOnly } from '../common/status-only.ts';

export interface FlowKind {
  readonly kind: string;
  readonly columns: readonly Column[];
  readonly applyDefaults: NonNullable<Strategy['applyDefaults']>;
  readonly validate: (object: JsonObject, errors: FieldErrors) => void;
}

/** The parts shared by both kinds of the group. */
export function flowResource({ kind, columns, applyDefaults, validate }: FlowKind): Resource {
  const v1: ServedVersion = {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    schema: schemaOf(`flowcontrol.v1.${kind}`),
    columns,
  };
  const singular = kind.toLowerCase();
  const validateAll = (object: JsonObject, errors: FieldErrors) => {
    validate(object, errors);
    validateFlowConditions(object, errors);
  };
  return {
    names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
    scope: 'Cluster',
    storagePrefix: `/registry/${singular}s`,
    hub: v1,
    versions: [v1],
    verbs: storedVerbs,
    subresources: {
      status: statusSubresource((object, _old, errors) => validateFlowConditions(object, errors), statusOnly),
    },
    strategy: {
      generation: true,
      applyDefaults,
      prepareForCreate(object) {
        object.status = {};
      },
      prepareForUpdate(object, old) {
        object.status = old.status ?? {};
      },
      validateCreate: validateAll,
      validateUpdate: (object, _old, errors) => validateAll(object, errors),
    },
  };
}

/** Condition types are required and unique. */
export function validateFlowConditions(object: JsonObject, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, condition] of objectsIn(objectIn(object, 'status'), 'conditions').entries()) {
    const at = path('status', 'conditions').index(i).child('type');
    const type = textIn(condition, 'type');
    if (seen.has(type)) errors.duplicate(at, type);
    seen.add(type);
    if (type === '') errors.required(at);
  }
}
