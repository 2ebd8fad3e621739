import { describe, expect, it } from 'vitest';
import * as der from './der.ts';

describe('DER', () => {
  it.each([
    ['integer 0', der.unsignedInteger(Buffer.from([0])), '020100'],
    ['integer 127', der.unsignedInteger(Buffer.from([0x7f])), '02017f'],
    ['integer 128', der.unsignedInteger(Buffer.from([0x80])), '02020080'],
    ['integer with leading zeroes', der.unsignedInteger(Buffer.from([0, 0, 1])), '020101'],
    ['oid with large arcs', der.oid('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    ['oid 2.5.4.3', der.oid('2.5.4.3'), '0603550403'],
    ['true', der.bool(true), '0101ff'],
    ['empty sequence', der.sequence(), '3000'],
    ['bit string', der.bitString(Buffer.from([0x80]), 7), '03020780'],
    ['explicit', der.explicit(3, der.bool(true)), 'a3030101ff'],
    ['time before 2050', der.time(new Date('2049-12-31T23:59:59Z')), `170d${Buffer.from('491231235959Z').toString('hex')}`],
    ['time from 2050 on', der.time(new Date('2050-01-01T00:00:00Z')), `180f${Buffer.from('20500101000000Z').toString('hex')}`],
  ])('writes %s', (_, bytes, hex) => expect(bytes.toString('hex')).toBe(hex));

  it.each([
    [127, '047f'],
    [128, '048180'],
    [256, '04820100'],
    [70_000, '0483011170'],
  ])('writes the length %d', (length, head) => {
    expect(der.octetString(Buffer.alloc(length)).toString('hex', 0, head.length / 2)).toBe(head);
  });
});
