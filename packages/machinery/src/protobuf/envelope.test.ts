import { describe, expect, it } from 'vitest';
import { envelopeTail, isProtobuf, unwrapProtobuf, wrapProtobuf } from './envelope.ts';

import {
  encodeProtobufList,
  encodeStatus,
  listItemSize,
  partialMetadataBytes,
  protobufListHead,
  watchFrame,
  writeListItem,
} from './meta-messages.ts';
import { ProtobufError } from './reader.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const magic = '6b387300';

describe('the envelope', () => {
  it('carries apiVersion and kind', () => {
    const wrapped = wrapProtobuf('v1', 'Pod', bytes('0a00'));
    expect(wrapped).toEqual(bytes(`${magic} 0a09 0a027631 1203506f64 1202 0a00 1a00 2200`));
    expect(isProtobuf(wrapped)).toBe(true);
    expect(unwrapProtobuf(wrapped)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      raw: bytes('0a00'),
      contentEncoding: '',
      contentType: '',
    });
  });

  it('is unwrapped without a copy', () => {
    const wrapped = wrapProtobuf('v1', 'Pod', bytes('0a00'));
    expect(unwrapProtobuf(wrapped).raw.buffer).toBe(wrapped.buffer);
  });

  it('carries large messages', () => {
    const raw = Buffer.alloc(300_000, 7);
    expect(unwrapProtobuf(wrapProtobuf('apps/v1', 'Deployment', raw)).raw.length).toBe(300_000);
  });

  it.each([
    ['nothing', '', 'empty data'],
    ['JSON', '7b7d', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['nothing but the prefix', magic, 'empty body'],
    ['an end too early', `${magic} 0a09 0a`, 'unexpected EOF'],
    ['a kind that is a number', `${magic} 0a02 1001`, 'proto: wrong wireType = 0 for field Kind'],
  ])('rejects %s', (_, hex, message) => {
    expect(() => unwrapProtobuf(bytes(hex))).toThrow(new ProtobufError(message));
  });
});

describe('lists', () => {
  const items = [bytes('0a0161'), Buffer.alloc(200, 1)];
  const metadata = { resourceVersion: '7', remainingItemCount: 0 };

  it('are metadata followed by items', () => {
    expect(encodeProtobufList(metadata, items).toString('hex')).toBe(
      bytes(`0a09 0a00 120137 1a00 2000 1203 0a0161 12c801 ${'01'.repeat(200)}`).toString('hex'),
    );
  });

  it('can be written item by item', () => {
    const size = items.reduce((sum, item) => sum + listItemSize(item), 0);
    const out = Buffer.alloc(size);
    expect(items.reduce((at, item) => writeListItem(item, out, at), 0)).toBe(size);
    expect(Buffer.concat([protobufListHead('v1', 'PodList', metadata, size), out, envelopeTail])).toEqual(
      wrapProtobuf('v1', 'PodList', encodeProtobufList(metadata, items)),
    );
  });
});

describe('partialMetadataBytes', () => {
  it('returns the first field of an object', () => {
    expect(partialMetadataBytes(bytes('0a03 0a0161 1200'))).toEqual(bytes('0a03 0a0161'));
  });

  it('throws if metadata is not the first field', () => {
    expect(() => partialMetadataBytes(bytes('1200'))).toThrow(ProtobufError);
    expect(() => partialMetadataBytes(bytes('0a03 0a'))).toThrow(ProtobufError);
  });
});

describe('watchFrame', () => {
  it('is a length and an event whose object has an envelope', () => {
    expect(watchFrame('ADDED', 'v1', 'Pod', bytes('0a00')).toString('hex')).toBe(
      bytes(`00000022 0a05 4144444544 1219 0a17 ${magic} 0a09 0a027631 1203506f64 1202 0a00 1a00 2200`).toString('hex'),
    );
  });
});

it('a Status is encoded as Kubernetes encodes it', () => {
  const unauthorized = encodeStatus({ status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 });
  expect(Buffer.from(unauthorized)).toEqual(
    bytes('0a06 0a00 1200 1a00 1207 4661696c757265 1a0c 556e617574686f72697a6564 220c 556e617574686f72697a6564 309103'),
  );
  const details = { name: 'nope', kind: 'pods', causes: [{ reason: 'R', message: 'M', field: 'f' }] };
  const missing = encodeStatus({ status: 'Failure', reason: 'NotFound', details, code: 404 });
  expect(Buffer.from(missing).toString('hex')).toContain(
    '2a1d 0a046e6f7065 1200 1a04706f6473 2209 0a0152 12014d 1a0166 2800 3200'.replaceAll(' ', ''),
  );
});
