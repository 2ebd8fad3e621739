import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DiskSpace } from './disk-space.ts';

const MEBI = 1 << 20;
const free = vi.hoisted(() => ({ bytes: 0, asked: 0 }));

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  statfsSync(path: string) {
    free.asked++;
    if (path === '/unknown') throw new Error('ENOENT');
    return { bavail: free.bytes / 4096, bsize: 4096 };
  },
}));

beforeEach(() => {
  free.asked = 0;
});

describe('DiskSpace', () => {
  it.each([
    [100 * MEBI, 4 * MEBI, true, false],
    [10 * MEBI, 1 * MEBI, true, true],
    [10 * MEBI, 5 * MEBI, false, true],
    [1 * MEBI, 0, false, true],
    [0, 0, false, true],
  ])('with %d bytes free and a transaction of %d', (bytes, transaction, hasRoom, isShort) => {
    free.bytes = bytes;
    const space = new DiskSpace('/data');
    expect([space.hasRoomFor(transaction), space.isShort]).toEqual([hasRoom, isShort]);
  });

  it('calls statfs between transactions only while space is short', () => {
    free.bytes = 100 * MEBI;
    const space = new DiskSpace('/data');
    space.hasRoomFor(0);
    expect([space.isShort, space.isShort, free.asked]).toEqual([false, false, 1]);
    free.bytes = 10 * MEBI;
    space.hasRoomFor(0);
    expect([space.isShort, free.asked]).toEqual([true, 3]);
    free.bytes = 100 * MEBI;
    expect(space.isShort).toBe(false);
  });

  it('is unlimited where statfs is not supported', () => {
    const space = new DiskSpace('/unknown');
    expect([space.hasRoomFor(MEBI), space.isShort]).toEqual([true, false]);
  });
});
