import { readFileSync } from 'node:fs';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { discoveryProtobuf } from './discovery-protobuf.ts';

interface Recorded {
  readonly path: string;
  readonly document: JsonObject;
  readonly protobuf: string;
}

const recorded: readonly Recorded[] = JSON.parse(readFileSync(new URL('recorded/protobuf.json', import.meta.url), 'utf8'));

describe('discovery in protobuf', () => {
  it.each(recorded)('$path equals the value that kube-apiserver wrote', ({ document, protobuf }) => {
    expect(discoveryProtobuf(document).toString('latin1')).toBe(Buffer.from(protobuf, 'base64').toString('latin1'));
  });
});
