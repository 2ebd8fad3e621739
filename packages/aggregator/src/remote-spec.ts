import { misshapenPiece, type RemoteSpec, specOfPaths } from '@tsukube/apiserver';
import { isObject, type JsonObject, parseJson } from '@tsukube/machinery';
import { TimeSlice } from '@tsukube/storage';
import { membersOf } from './json-members.ts';

/** Members of a document are parsed one at a time; a larger one would hold the event loop. */
const maxPieceBytes = 1 << 20;
const maxPieces = 50_000;
const sections = ['paths', 'definitions', 'parameters'] as const;

type Pieces = [string, JsonObject][];

/** The part of a backend's OpenAPI 2 document below `prefix`, parsed in time slices. Rejects if the document is not valid. */
export async function parseSpec(text: Buffer, prefix: string): Promise<RemoteSpec> {
  const found: Record<(typeof sections)[number], Pieces> = { paths: [], definitions: [], parameters: [] };
  const slice = new TimeSlice();
  let count = 0;
  for (const { name, start } of membersOf(text)) {
    const section = sections.find((each) => each === name);
    if (section === undefined) continue;
    for (const piece of membersOf(text, start)) {
      if (++count > maxPieces) throw new Error(`the OpenAPI document has more than ${maxPieces} parts`);
      found[section].push([piece.name, parsePiece(piece.name, text.subarray(piece.start, piece.end))]);
      if (slice.over) await slice.rest();
    }
    if (slice.over) await slice.rest();
  }
  const spec = specOfPaths(found, (path) => path.startsWith(prefix));
  const wrong = misshapenPiece(spec);
  if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} in the OpenAPI document is not valid`);
  return spec;
}

function parsePiece(name: string, text: Buffer): JsonObject {
  if (text.length > maxPieceBytes) throw new Error(`${JSON.stringify(name)} in the OpenAPI document is too large`);
  const { value } = parseJson(text);
  if (!isObject(value)) throw new Error(`${JSON.stringify(name)} in the OpenAPI document is not an object`);
  return value;
}
