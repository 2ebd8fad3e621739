import type { FieldType, TypeDefinition } from '../schema/type.ts';
import type { ProtobufField } from './field.ts';

/** A message as protobuf sees it: slots in ascending order of their numbers. */
export interface Layout {
  readonly name: string;
  readonly slots: readonly Slot[];
}

/** A field, or a message whose fields belong to the same JSON object as those around it. */
export type Slot =
  | { readonly number: number; readonly field: ProtobufField }
  | { readonly number: number; readonly inlined: Layout };

export function layoutOf(type: TypeDefinition): Layout {
  const fields: readonly ProtobufField[] = [...type.fields.values()];
  return layoutAt(type.name.slice(type.name.lastIndexOf('.') + 1), fields, 0);
}

function layoutAt(name: string, fields: readonly ProtobufField[], level: number): Layout {
  const slots: Slot[] = [];
  const inlined = new Map<number, ProtobufField[]>();
  for (const field of fields) {
    const outer = field.inlinedIn?.[level];
    if (outer !== undefined) inlined.set(outer, [...(inlined.get(outer) ?? []), field]);
    else if (field.number !== undefined) slots.push({ number: field.number, field });
  }
  for (const [number, members] of inlined) slots.push({ number, inlined: layoutAt(name, members, level + 1) });
  return { name, slots: slots.sort((a, b) => a.number - b.number) };
}

/** A message with one field. */
export function singleField(name: string, type: FieldType): TypeDefinition {
  return { name, fields: new Map([[name, { name, type, number: 1 }]]) };
}
