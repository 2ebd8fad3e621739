import { describe, expect, it, vi } from 'vitest';
import { WriteBuffer } from './write-buffer.ts';

function putBytes(out: WriteBuffer, bytes: Buffer): void {
  out.reserve(bytes.length);
  out.buffer.set(bytes, out.at);
  out.at += bytes.length;
}

describe('WriteBuffer', () => {
  it('does not overwrite bytes before they are released', () => {
    const out = new WriteBuffer();
    const kept = Array.from({ length: 200 }, (_, i) => {
      putBytes(out, Buffer.alloc(5000, i));
      return { gathered: out.take(), byte: i };
    });
    for (const [i, { gathered, byte }] of kept.entries()) {
      expect(gathered?.bytes.equals(Buffer.alloc(5000, byte))).toBe(true);
      if (i % 3 === 0) gathered?.release();
      putBytes(out, Buffer.alloc(3000, 255));
      const other = out.take();
      if (i % 2 === 0) other?.release();
    }
    for (const { gathered, byte } of kept.filter((_, i) => i % 3 !== 0))
      expect(gathered?.bytes.equals(Buffer.alloc(5000, byte))).toBe(true);
  });

  it('reuses released memory', () => {
    const out = new WriteBuffer();
    const memory = new Set<ArrayBufferLike>();
    for (let i = 0; i < 1000; i++) {
      putBytes(out, Buffer.alloc(10_000));
      const gathered = out.take();
      memory.add(gathered?.bytes.buffer as ArrayBufferLike);
      gathered?.release();
    }
    expect(memory.size).toBeLessThanOrEqual(2);
  });

  it('frees unused memory after a while', () => {
    vi.useFakeTimers();
    const out = new WriteBuffer();
    const burst = () => {
      const pieces = Array.from({ length: 10 }, () => {
        putBytes(out, Buffer.alloc(150_000));
        return out.take();
      });
      for (const piece of pieces) piece?.release();
      return new Set(pieces.map((piece) => piece?.bytes.buffer));
    };
    const first = burst();
    const isKept = (memory: ArrayBufferLike | undefined) => first.has(memory);
    // A new slab has been started already.
    expect([...burst()].filter(isKept).length).toBeGreaterThanOrEqual(9);
    vi.advanceTimersByTime(15_000);
    expect([...burst()].filter(isKept).length).toBeLessThanOrEqual(1);
    vi.useRealTimers();
  });

  it('moves the bytes when they outgrow the slab', () => {
    const out = new WriteBuffer();
    putBytes(out, Buffer.from('begin'));
    putBytes(out, Buffer.alloc(1 << 20, 'x'));
    expect(out.take()?.bytes.subarray(0, 6).toString()).toBe('beginx');
  });

  it('drops discarded bytes', () => {
    const out = new WriteBuffer();
    putBytes(out, Buffer.from('half'));
    out.discard();
    putBytes(out, Buffer.from('whole'));
    expect(out.take()?.bytes.toString()).toBe('whole');
    expect(out.take()).toBeUndefined();
  });
});
