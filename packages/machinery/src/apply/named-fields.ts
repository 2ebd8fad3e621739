import { asMember, type FieldSet, type MutableFieldSet } from './field-set.ts';
import { contentOf, self } from './path-element.ts';
import { memberShape, type Shape } from './shape.ts';

/** The set with every field in it that its type names and that something in the set is below. */
export function withNamedFields(set: FieldSet, shape: Shape | undefined): FieldSet {
  const named: MutableFieldSet = {};
  for (const element in set) {
    if (element === self) {
      named[self] = {};
      continue;
    }
    const below = withNamedFields(set[element] as FieldSet, shapeBelow(element, shape));
    const isNamed = element[0] === 'f' && shape?.is === 'object' && shape.fields.has(contentOf(element));
    named[element] = (isNamed ? asMember(below) : below) as MutableFieldSet;
  }
  return named;
}

function shapeBelow(element: string, shape: Shape | undefined): Shape | undefined {
  if (shape?.is === 'object' && element[0] === 'f') return memberShape(shape, contentOf(element));
  return shape?.is === 'list' && element[0] === 'k' ? shape.of : undefined;
}
