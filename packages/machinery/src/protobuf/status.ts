import { type Status, statusBody } from '../errors/status.ts';
import type { Field, FieldType, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { encodeProtobuf } from './encode.ts';
import { listMetaType, listMetaTypes } from './meta-messages.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const text: FieldType = { is: 'string' };

function field(name: string, number: number, type: FieldType, omitempty: Field['omitempty'] = 'omit'): Field {
  return { name, number, type, omitempty };
}

const types = new Map<string, TypeDefinition>([[listMetaType.name, listMetaType]]);

function type(kind: string, ...fields: readonly Field[]): TypeDefinition {
  const definition = { name: `${meta}.${kind}`, fields: new Map(fields.map((each) => [each.name, each])) };
  types.set(definition.name, definition);
  return definition;
}

const cause = type('StatusCause', field('reason', 1, text), field('message', 2, text), field('field', 3, text));

const details = type(
  'StatusDetails',
  field('name', 1, text),
  field('group', 2, text),
  field('kind', 3, text),
  field('causes', 4, { is: 'list', of: { is: 'object', ref: cause.name } }),
  field('retryAfterSeconds', 5, { is: 'int32' }),
  field('uid', 6, text),
);

const status = type(
  'Status',
  field('metadata', 1, { is: 'object', ref: listMetaType.name }),
  field('status', 2, text),
  field('message', 3, text),
  field('reason', 4, text),
  field('details', 5, { is: 'object', ref: details.name }, 'keep'),
  field('code', 6, { is: 'int32' }),
);

/** Self-contained, because a Status is sent regardless of the catalogue of the request. */
const catalogue: TypeCatalogue = { get: (name) => types.get(name) ?? listMetaTypes.get(name) };

export function encodeStatus(answer: Status): Uint8Array {
  return encodeProtobuf(statusBody(answer), status, catalogue);
}
