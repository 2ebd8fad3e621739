import { readdirSync, readFileSync } from 'node:fs';
import type { Registry } from './registry.ts';

const bytesPerKilobyte = 1024;

export function processStartTime(registry: Registry): void {
  const started = Date.now() / 1000 - process.uptime();
  registry
    .gauge({ name: 'process_start_time_seconds', help: 'Start time of the process since unix epoch in seconds.' })
    .with({})
    .set(started);
}

/** What every exporter says of its process. */
export function processMetrics(registry: Registry): void {
  processStartTime(registry);
  const cpu = registry
    .counter({ name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.' })
    .with({});
  const memory = registry.gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory size in bytes.' }).with({});
  registry.beforeScrape(() => {
    const { user, system } = process.cpuUsage();
    cpu.raiseTo((user + system) / 1e6);
    memory.set(process.memoryUsage.rss());
  });
  if (process.platform === 'linux') linuxMetrics(registry);
}

function linuxMetrics(registry: Registry): void {
  const open = registry.gauge({ name: 'process_open_fds', help: 'Number of open file descriptors.' }).with({});
  const most = registry.gauge({ name: 'process_max_fds', help: 'Maximum number of open file descriptors.' }).with({});
  const virtual = registry.gauge({ name: 'process_virtual_memory_bytes', help: 'Virtual memory size in bytes.' }).with({});
  registry.beforeScrape(() => {
    open.set(readdirSync('/proc/self/fd').length);
    most.set(numberIn('/proc/self/limits', /^Max open files\s+(\d+)/m));
    virtual.set(numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB/m) * bytesPerKilobyte);
  });
}

function numberIn(path: string, pattern: RegExp): number {
  return Number(pattern.exec(readFileSync(path, 'latin1'))?.[1] ?? Number.NaN);
}
