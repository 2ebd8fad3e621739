import { memoryFiles } from '@tsukube/machinery/pki';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepRenewed, openPki } from './pki.ts';

const day = 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') }));
afterEach(() => void vi.useRealTimers());

describe('a long-running server', () => {
  it('renews its certificates and calls back', async () => {
    const files = memoryFiles();
    const onRenewed = vi.fn();
    const renewal = keepRenewed({
      open: () => openPki(files, { hosts: ['localhost'], clientKeyAlgorithm: 'ecdsa' }, new Date()),
      onRenewed,
      onError: () => expect.unreachable(),
    });
    const first = renewal.current;
    await vi.advanceTimersByTimeAsync(240 * day);
    expect(onRenewed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10 * day);
    expect(onRenewed).toHaveBeenCalledOnce();
    expect(renewal.current.serving).not.toEqual(first.serving);
    expect(onRenewed).toHaveBeenCalledWith(renewal.current);
    renewal.stop();
    await vi.advanceTimersByTimeAsync(365 * day);
    expect(onRenewed).toHaveBeenCalledOnce();
  });

  it('keeps its certificates when renewal fails, and retries', async () => {
    const files = memoryFiles();
    let broken = false;
    const onError = vi.fn();
    const open = (): ReturnType<typeof openPki> => {
      if (broken) throw new Error('disk full');
      return openPki(files, { hosts: ['localhost'], clientKeyAlgorithm: 'ecdsa' }, new Date());
    };
    const renewal = keepRenewed({ open, onRenewed: () => {}, onError });
    const first = renewal.current;
    broken = true;
    await vi.advanceTimersByTimeAsync(day);
    expect(onError).toHaveBeenCalledTimes(2);
    expect(renewal.current).toBe(first);
    renewal.stop();
  });
});
