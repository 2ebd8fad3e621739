import type { JsonValue } from '../../schema/type.ts';
import type { JsonReader } from './json.ts';
import { CelList, type CelValue } from './value.ts';

/** A JSON array whose items are read when they are asked for. */
export class JsonArray extends CelList {
  readonly raw: readonly JsonValue[];
  readonly reader: JsonReader;

  constructor(raw: readonly JsonValue[], reader: JsonReader) {
    super();
    this.raw = raw;
    this.reader = reader;
  }

  get size(): number {
    return this.raw.length;
  }

  at(index: number): CelValue {
    return this.reader(this.raw[index] as JsonValue);
  }
}
