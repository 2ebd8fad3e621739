import { type BuiltinCatalogue, parsedTypes } from './catalogue.ts';
import { kindNames } from './kind-names.ts';
import { withOmitempty } from './omitempty.ts';
import type { BuiltinType } from './type-line.ts';

export { describe, describeColumn } from './descriptions.ts';
export { type BuiltinType, type LineContext, parseTypeLine } from './type-line.ts';

function createCatalogue(): BuiltinCatalogue {
  const completed = new Map<string, BuiltinType>();
  const complete = (name: string) => {
    const type = withOmitempty(parsedTypes.get(name));
    completed.set(name, type);
    return type;
  };
  return { ...parsedTypes, kinds: kindNames, get: (name) => completed.get(name) ?? complete(name) };
}

/** Every built-in type, with the `omitempty` behaviour of each field. */
export const builtinTypes: BuiltinCatalogue = createCatalogue();
