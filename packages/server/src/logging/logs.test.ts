import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogLevel } from '@tsukube/apiserver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LineTarget } from './line-queue.ts';
import { type Logs, openLogs } from './logs.ts';
import { rotatingFile } from './rotating-file.ts';

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'tsukube-logs-')), 'logs');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

const now = (): Date => new Date('2026-01-02T03:04:05.006Z');
const read = (name = 'tsukube.log'): string => readFileSync(join(directory, name), 'utf8');

function memoryTarget(): LineTarget & { text: string } {
  return {
    text: '',
    async write(text) {
      this.text += text;
    },
    writeSync(text) {
      this.text += text;
    },
    async close() {},
  };
}

function logAll({ logger }: Logs): void {
  for (const level of ['error', 'warn', 'info', 'debug'] as const) logger[level](level);
}

function levelsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => line.split(' ')[1] || []);
}

describe('levels', () => {
  it.each<[LogLevel, string[], string[]]>([
    ['error', ['error'], ['error', 'warn', 'info']],
    ['warn', ['error', 'warn'], ['error', 'warn', 'info']],
    ['info', ['error', 'warn', 'info'], ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug'], ['error', 'warn', 'info', 'debug']],
  ])('%s', async (level, onConsole, inFile) => {
    const console = memoryTarget();
    const logs = openLogs({ level, format: 'text', directory, console, now });
    logAll(logs);
    expect(logs.logger.enabled('debug')).toBe(level === 'debug');
    await logs.close();
    expect(levelsIn(console.text)).toEqual(onConsole);
    expect(levelsIn(read())).toEqual(inFile);
  });
});

describe('lines', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  async function logged(format: 'text' | 'json', fields: Record<string, unknown>, message = 'it happened'): Promise<string> {
    const console = memoryTarget();
    const logs = openLogs({ level: 'info', format, console, now });
    logs.logger.child({ part: 'store' }).info(message, fields);
    await logs.close();
    return console.text;
  }

  it('are readable as text', async () => {
    expect(await logged('text', { path: '/api/v1', count: 3, name: 'two words', none: undefined })).toBe(
      '2026-01-02T03:04:05.006Z info  it happened part=store path=/api/v1 count=3 name="two words" none=\n',
    );
  });

  it('cannot be forged by line breaks', async () => {
    const text = await logged('text', { name: 'a\nb' }, 'one\ntwo');
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain('"one\\ntwo" part=store name="a\\nb"');
  });

  it('are JSON objects whose standard fields cannot be overridden', async () => {
    expect(JSON.parse(await logged('json', { count: 3, level: 'fake', big: 2n ** 60n }))).toEqual({
      time: '2026-01-02T03:04:05.006Z',
      level: 'info',
      message: 'it happened',
      part: 'store',
      count: 3,
      big: '1152921504606846976',
    });
  });

  it('contain errors with their causes', async () => {
    const error = new Error('outer', { cause: new Error('inner') });
    const { error: shown } = JSON.parse(await logged('json', { error }));
    expect(shown).toMatchObject({ message: 'outer', cause: { message: 'inner' } });
    expect(shown.stack).toContain('logs.test.ts');
    expect(await logged('text', { error })).toContain('"message":"inner"');
  });

  it.each(['text', 'json'] as const)('survive values that cannot be formatted as %s', async (format) => {
    expect(await logged(format, { circular })).toContain('circular');
  });
});

describe('the file', () => {
  it('rotates by size and keeps a fixed number', async () => {
    const file = rotatingFile(join(directory, 'tsukube.log'), { maxBytes: 200, maxFiles: 3 });
    for (let turn = 0; turn < 20; turn++) await file.write(`line ${turn} ${'x'.repeat(50)}\n`);
    await file.close();
    expect(readdirSync(directory).sort()).toEqual(['tsukube.log', 'tsukube.log.1', 'tsukube.log.2']);
    expect(readdirSync(directory).filter((name) => statSync(join(directory, name)).size > 200)).toEqual([]);
    expect([read('tsukube.log.2'), read('tsukube.log.1'), read()].join('').match(/\d+/g)).toEqual([
      '12',
      '13',
      '14',
      '15',
      '16',
      '17',
      '18',
      '19',
    ]);
  });

  it('is readable by its owner only, and is appended to', async () => {
    for (const message of ['first', 'second']) {
      const logs = openLogs({ level: 'error', format: 'text', directory });
      logs.logger.info(message);
      await logs.close();
    }
    expect(read()).toMatch(/first\n.*second\n$/s);
    expect(statSync(join(directory, 'tsukube.log')).mode & 0o777).toBe(0o600);
  });

  it('gets the last lines before the process exits', () => {
    const logs = openLogs({ level: 'error', format: 'text', directory });
    logs.logger.info('the end');
    logs.flushSync();
    expect(read()).toContain('the end');
  });
});

describe('standard error that is not read', () => {
  it('bounds the queue and counts dropped lines', async () => {
    let release = (): void => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const written: string[] = [];
    const console: LineTarget = {
      async write(text) {
        written.push(text);
        if (written.length === 1) await stuck;
      },
      writeSync: () => {},
      close: async () => {},
    };
    const logs = openLogs({ level: 'info', format: 'text', console, now });
    logs.logger.info('first');
    await new Promise((resolve) => setImmediate(resolve));
    for (let count = 0; count < 5_000; count++) logs.logger.info('x'.repeat(1000));
    release();
    await logs.close();
    expect(written.join('').length).toBeLessThan(1.1 * 2 ** 20);
    expect(written.at(-1)).toMatch(/log lines were dropped count=\d{4}\n$/);
  });

  it('may fail', async () => {
    const console = { ...memoryTarget(), write: () => Promise.reject(new Error('EIO')) };
    const logs = openLogs({ level: 'info', format: 'text', console });
    logs.logger.info('lost');
    await logs.close();
  });
});
