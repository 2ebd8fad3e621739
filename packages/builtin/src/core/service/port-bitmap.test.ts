import { describe, expect, it } from 'vitest';
import { PortBitmap } from './node-port-allocator.ts';

describe('port bitmap', () => {
  it.each<[number[], string]>([
    [[], ''],
    [[30_000], '01'],
    [[30_007], '80'],
    [[30_008, 30_000], '0101'],
    [[30_000, 30_001, 30_017], '020003'],
  ])('%j is encoded as %s', (ports, hex) => {
    const bitmap = new PortBitmap(30_000, 32_767);
    for (const port of ports) bitmap.add(port);
    expect(bitmap.bytes().toString('hex')).toBe(hex);
    const read = new PortBitmap(30_000, 32_767, Buffer.from(hex, 'hex'));
    expect(read.ports().sort()).toEqual([...ports].sort());
  });

  it('ignores bits beyond the range', () => {
    expect(new PortBitmap(1, 4, Buffer.from('ffff', 'hex')).ports()).toEqual([1, 2, 3, 4]);
  });

  it('clears released ports', () => {
    const bitmap = new PortBitmap(1, 16, Buffer.from('0103', 'hex'));
    bitmap.delete(9);
    expect([bitmap.has(9), bitmap.has(2), bitmap.bytes().toString('hex')]).toEqual([false, true, '03']);
  });
});
