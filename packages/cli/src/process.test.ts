import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { guardProcess, untilSignalled } from './process.ts';

function fakeProcess(env: NodeJS.ProcessEnv = {}) {
  return Object.assign(new EventEmitter(), { exit: vi.fn(), env });
}

const quiet = { error: vi.fn(), info: vi.fn() };

function neverClosed(): Promise<void> {
  return new Promise(() => {});
}

describe('signals', () => {
  it.each(['SIGINT', 'SIGTERM'])('%s closes and ends with 0', async (signal) => {
    const on = fakeProcess();
    const close = vi.fn(async () => {});
    const code = untilSignalled(on, close, quiet);
    expect(close).not.toHaveBeenCalled();
    on.emit(signal, signal);
    expect(await code).toBe(0);
    expect(close).toHaveBeenCalledOnce();
  });

  it('end with 1 if closing fails', async () => {
    const on = fakeProcess();
    const code = untilSignalled(on, () => Promise.reject(new Error('no')), quiet);
    on.emit('SIGTERM', 'SIGTERM');
    expect(await code).toBe(1);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('a second one, %s, ends at once with %d', (signal, code) => {
    const on = fakeProcess();
    void untilSignalled(on, neverClosed, quiet);
    on.emit('SIGTERM', 'SIGTERM');
    expect(on.exit).not.toHaveBeenCalled();
    on.emit(signal, signal);
    expect(on.exit).toHaveBeenCalledWith(code);
  });

  it('that npm forwards count once', () => {
    const on = fakeProcess({ npm_lifecycle_event: 'start' });
    let time = 0;
    void untilSignalled(on, neverClosed, quiet, () => time);
    on.emit('SIGINT', 'SIGINT');
    time = 50;
    on.emit('SIGINT', 'SIGINT');
    expect(on.exit).not.toHaveBeenCalled();
    time = 1000;
    on.emit('SIGINT', 'SIGINT');
    expect(on.exit).toHaveBeenCalledWith(130);
  });
});

describe('an uncaught exception', () => {
  it('is logged, and the process continues', () => {
    const on = fakeProcess();
    const log = { error: vi.fn(), info: vi.fn() };
    guardProcess(on, log);
    const error = new Error('from a request');
    on.emit('uncaughtException', error, 'uncaughtException');
    expect(log.error).toHaveBeenCalledWith('uncaught exception', { error, origin: 'uncaughtException' });
    expect(on.exit).not.toHaveBeenCalled();
  });

  it('ends the process when repeated', () => {
    const on = fakeProcess();
    let time = 0;
    guardProcess(on, quiet, () => time);
    const fail = (count: number): void => {
      for (let turn = 0; turn < count; turn++) on.emit('uncaughtException', new Error('again'), 'uncaughtException');
    };
    fail(100);
    time = 120_000;
    fail(100);
    expect(on.exit).not.toHaveBeenCalled();
    fail(1);
    expect(on.exit).toHaveBeenCalledWith(1);
  });
});
