import { effectiveFormat, goQuote, type JsonObject, objectIn, someSchema, textIn } from '@tsukube/machinery';
import { schemaIn, sortedParts } from './shared-fields.ts';
/** Formats that mean nothing are told once they are written. */
export function definitionWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const before = new Set(old && oddFormats(old));
  return oddFormats(object)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function oddFormats(object: JsonObject): readonly string[] {
  const { shared, versions } = sortedParts(objectIn(object, 'spec') ?? {});
  return [shared, ...versions].flatMap((owner) => oddFormatsIn(schemaIn(owner)));
}

function oddFormatsIn(schema: JsonObject | undefined): readonly string[] {
  const formats: string[] = [];
  someSchema(schema, (each) => {
    const format = textIn(each, 'format');
    if (format !== '' && effectiveFormat(format, textIn(each, 'type')) === '') formats.push(format);
    return false;
  });
  return formats;
}
