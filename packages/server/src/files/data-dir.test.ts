import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataDirTaken, processStartId, takeDataDir } from './data-dir.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'tsukube-data-')), 'data');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

const lockText = (): string => readFileSync(join(path, 'server.lock'), 'utf8');

function leaveLock(content: object | string): void {
  takeDataDir(path).release();
  writeFileSync(join(path, 'server.lock'), typeof content === 'string' ? content : JSON.stringify(content));
}

function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

describe('a data dir', () => {
  it('is created for its owner only, and released', () => {
    const dir = takeDataDir(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(dir.path).toBe(path);
    dir.release();
    expect(readdirSync(path)).toEqual([]);
    takeDataDir(path).release();
  });

  it('is refused to a second server, with the PID of the first', () => {
    const dir = takeDataDir(path, new Date('2026-01-02T03:04:05Z'));
    expect(() => takeDataDir(path)).toThrow(DataDirTaken);
    dir.publishUrl('https://127.0.0.1:6443');
    expect(() => takeDataDir(path)).toThrow(
      `${path} is in use by another server (pid ${process.pid}, https://127.0.0.1:6443, since 2026-01-02T03:04:05.000Z)`,
    );
    dir.release();
    expect(readdirSync(path)).toEqual([]);
  });

  it.each([
    ['of a process that is dead', () => ({ id: 'a', pid: deadPid(), since: 'x' })],
    ['of a process whose pid was reused', () => ({ id: 'a', pid: process.pid, identity: 'boot/1', since: 'x' })],
    ['that a power failure cut short', () => ''],
    ['with fields of other types', () => '{"pid":"1"}'],
    ['that names process 0', () => '{"id":"a","pid":0}'],
    ['with a path in its id', () => '{"id":"../../a","pid":1}'],
  ])('is taken over from a lock %s', (_, content) => {
    leaveLock(content());
    const dir = takeDataDir(path);
    expect(JSON.parse(lockText())).toMatchObject({ pid: process.pid });
    expect(readdirSync(path)).toEqual(['server.lock']);
    dir.release();
  });

  it('is taken over after another takeover crashed', () => {
    leaveLock({ id: 'first', pid: deadPid(), since: 'x' });
    writeFileSync(join(path, 'server.lock.first'), JSON.stringify({ id: 'second', pid: deadPid(), since: 'x' }));
    takeDataDir(path).release();
    expect(readdirSync(path)).toEqual([]);
  });

  it('is left to a server that took it over first', () => {
    const dir = takeDataDir(path);
    leaveOther();
    dir.release();
    expect(JSON.parse(lockText()).id).toBe('other');
  });

  it.skipIf(processStartId(process.pid) === undefined)('is respected while its process lives', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    const pid = child.pid as number;
    leaveLock({ id: 'a', pid, identity: processStartId(pid), since: 'x' });
    expect(() => takeDataDir(path)).toThrow(`pid ${pid}`);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('exit', resolve));
    takeDataDir(path).release();
  });

  it.skipIf(processStartId(process.pid) === undefined)('is taken over from a zombie process', async () => {
    // The shell is replaced by a sleep that never reaps the child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    leaveLock({ id: 'a', pid, identity: processStartId(pid), since: 'x' });
    expect(() => takeDataDir(path)).toThrow(`pid ${pid}`);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /);
    takeDataDir(path).release();
    parent.kill('SIGKILL');
  });

  function leaveOther(): void {
    writeFileSync(join(path, 'server.lock'), JSON.stringify({ id: 'other', pid: process.pid, since: 'x' }));
  }
});
