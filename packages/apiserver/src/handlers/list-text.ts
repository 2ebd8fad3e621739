import { type JsonObject, type JsonValue, parseJson, stringifyJsonPretty, stringifyYaml } from '@tsukube/machinery';
import type { Output } from '../http/negotiation.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { ListWriter } from './list-body.ts';

/** What stands around the items of a list, and how one of them is written. */
interface TextForm {
  readonly before: string;
  readonly after: string;
  readonly separator: string;
  item(value: JsonValue): string;
}

/** Making text takes its time: others get their turn after each piece. */
const pieceLength = 64 * 1024;

/** A list for people, in pieces that are made as the client takes them. The same text as if it were made at once. */
export function* listText(writer: ListWriter, entries: readonly CacheEntry[], output: Output): Generator<Buffer> {
  const frame = parseJson(Buffer.concat([writer.head, writer.tail])).value as JsonObject;
  const form = output.mediaType === 'application/yaml' ? yamlForm(frame) : prettyForm(frame);
  let text = form.before;
  for (const [i, entry] of entries.entries()) {
    text += (i === 0 ? '' : form.separator) + form.item(itemOf(writer, entry));
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + form.after);
}

function itemOf(writer: ListWriter, entry: CacheEntry): JsonValue {
  const out = Buffer.allocUnsafe(writer.size(entry));
  const end = writer.write(entry, out, 0);
  return parseJson(out.subarray(writer.separated ? 1 : 0, end)).value;
}

const isListKey = (key: string) => key === 'items' || key === 'rows';

/** Keys are sorted, those before the items and those behind. */
function yamlForm(frame: JsonObject): TextForm {
  const keys = Object.keys(frame).sort();
  const at = keys.findIndex(isListKey);
  const part = (some: readonly string[]) => some.map((key) => stringifyYaml({ [key]: frame[key] as JsonValue })).join('');
  return {
    before: `${part(keys.slice(0, at))}${keys[at]}:\n`,
    after: part(keys.slice(at + 1)),
    separator: '',
    item: (value) => stringifyYaml([value]),
  };
}

/** The items are what comes last. */
function prettyForm(frame: JsonObject): TextForm {
  const around = stringifyJsonPretty(frame);
  const at = around.lastIndexOf('[]');
  const indent = '    ';
  return {
    before: `${around.slice(0, at)}[\n`,
    after: `\n  ]${around.slice(at + '[]'.length)}`,
    separator: ',\n',
    item: (value) => indent + stringifyJsonPretty(value, indent),
  };
}
