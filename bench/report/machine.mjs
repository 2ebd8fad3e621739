import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** @typedef {{ cores: number, cpu: string, memoryGiB: number, kernel: string, node: string, fsyncMs: number }} Machine */

const syncs = 40;

/** Durable writes are bounded by it. @returns {number} median milliseconds to make 4 KiB durable */
function measureFsync() {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-bench-'));
  const file = openSync(join(folder, 'probe'), 'w');
  const block = Buffer.alloc(4096);
  const times = Array.from({ length: syncs }, () => {
    const begun = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return times.sort((a, b) => a - b)[syncs / 2];
}

/** @returns {Machine} */
export function describeMachine() {
  const processors = cpus();
  return {
    cores: processors.length,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: totalmem() / 2 ** 30,
    kernel: release(),
    node: process.version,
    fsyncMs: measureFsync(),
  };
}

/** @param {Machine} machine */
export function machineLine(machine) {
  const cores = `${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}`;
  const fsync = `fsync of 4 KiB in ${machine.fsyncMs.toFixed(1)} ms`;
  return `${cores} of ${machine.cpu}, ${Math.round(machine.memoryGiB)} GiB, Linux ${machine.kernel}, Node ${machine.node}, ${fsync}`;
}
