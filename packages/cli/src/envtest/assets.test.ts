import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Assets, defaultFolder, findOnPath, layOut } from './assets.ts';

let parent: string;
let folder: string;
let assets: Assets;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tsukube-assets-'));
  folder = join(parent, "it's a folder");
  const program = join(parent, 'a program.cjs');
  writeFileSync(program, 'process.stdout.write(JSON.stringify(process.argv.slice(2)))');
  assets = { programs: { node: process.execPath, tsukube: program, standIn: program }, help: '  --secure-port PORT\n' };
});
afterEach(() => rmSync(parent, { recursive: true }));

const run = (name: string, ...args: string[]) => execFileSync(join(folder, name), args, { encoding: 'utf8' });

describe('the folder for KUBEBUILDER_ASSETS', () => {
  it('has launchers that pass all arguments', () => {
    layOut(folder, assets);
    expect(JSON.parse(run('kube-apiserver', '--cert-dir=/a b', "it's", ''))).toEqual([
      'kube-apiserver',
      '--cert-dir=/a b',
      "it's",
      '',
    ]);
    expect(JSON.parse(run('etcd', '--data-dir', '/d'))).toEqual(['--data-dir', '/d']);
  });

  it('answers --help without starting Node', () => {
    layOut(folder, { ...assets, programs: { ...assets.programs, node: '/nonexistent' } });
    expect(run('kube-apiserver', '--help')).toBe(assets.help);
    expect(run('etcd', '--help')).toMatch(/^\s*--unsafe-no-fsync\b/m);
  });

  it('is unchanged if created again, and updated if the programs move', () => {
    layOut(folder, assets);
    const before = statSync(join(folder, 'kube-apiserver')).ino;
    layOut(folder, assets);
    expect(statSync(join(folder, 'kube-apiserver')).ino).toBe(before);
    layOut(folder, { ...assets, programs: { ...assets.programs, tsukube: '/elsewhere.js' } });
    expect(readFileSync(join(folder, 'kube-apiserver'), 'utf8')).toContain('/elsewhere.js');
  });

  it('links to kubectl and to a real etcd, and back to the stand-in', () => {
    layOut(folder, { ...assets, etcd: '/usr/bin/true', kubectl: '/usr/bin/kubectl' });
    expect([readlinkSync(join(folder, 'etcd')), readlinkSync(join(folder, 'kubectl'))]).toEqual([
      '/usr/bin/true',
      '/usr/bin/kubectl',
    ]);
    layOut(folder, assets);
    expect(JSON.parse(run('etcd', 'x'))).toEqual(['x']);
  });

  it.each(['kube-apiserver', 'etcd', 'kubectl'])('does not overwrite a %s that it did not create', (name) => {
    mkdirSync(folder);
    writeFileSync(join(folder, name), 'mine');
    expect(() => layOut(folder, assets)).toThrow('was not written by tsukube envtest');
    expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
  });

  it('does not replace links of other origin', () => {
    mkdirSync(folder);
    symlinkSync('/usr/bin/true', join(folder, 'kube-apiserver'));
    expect(() => layOut(folder, assets)).toThrow('was not written by tsukube envtest');
  });

  it('prints how to repair launchers whose program is missing', () => {
    layOut(folder, { ...assets, programs: { ...assets.programs, tsukube: '/gone.js' } });
    const { status, stderr } = spawnSync(join(folder, 'kube-apiserver'), ['--secure-port=1'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'kube-apiserver: /gone.js is gone, run tsukube envtest again\n']);
  });

  it('is separate for each version and installation', () => {
    const at = (version: string, etcd?: string) => defaultFolder(version, { ...assets, etcd }, { XDG_CACHE_HOME: '/cache' });
    expect(at('1.0.0')).toMatch(/^\/cache\/tsukube\/envtest\/1\.0\.0-[0-9a-f]{8}$/);
    expect(new Set([at('1.0.0'), at('1.0.0'), at('1.0.1'), at('1.0.0', '/usr/bin/etcd')]).size).toBe(3);
  });

  it('finds programs on the PATH, but not its own launchers', () => {
    layOut(folder, assets);
    const other = join(parent, 'bin');
    mkdirSync(other);
    writeFileSync(join(other, 'etcd'), '#!/bin/sh\n', { mode: 0o755 });
    expect(findOnPath('etcd', { PATH: `${folder}:${other}` })).toBe(join(other, 'etcd'));
    expect(findOnPath('etcd', { PATH: folder })).toBeUndefined();
  });
});
