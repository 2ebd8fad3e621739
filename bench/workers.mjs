#!/usr/bin/env node
// Throughput, CPU time and memory of `tsukube serve --workers`: node bench/workers.mjs [--workers 1,2,4] [--objects 100000] [--seconds 4] [--settle 20]
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'packages/tsukube/dist/tsukube.cjs');
const path = '/api/v1/namespaces/default/configmaps';
const connections = 8;
const streamsPerConnection = 8;
const watches = 500;
const options = {
  workers: { type: 'string', default: '1,2,4' },
  objects: { type: 'string', default: '100000' },
  seconds: { type: 'string', default: '4' },
  /** Seconds from the load of the caches to the measurement of memory. */
  settle: { type: 'string', default: '20' },
};

if (process.send) await load();
else await main(parseArgs({ options }).values);

async function main({ workers, objects, seconds, settle }) {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-bench-'));
  try {
    await fill(join(folder, 'data'), Number(objects));
    for (const count of workers.split(','))
      await measure(folder, Number(count), Number(objects), Number(seconds) * 1000, Number(settle) * 1000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes ConfigMaps of about 1 KB to the database, as the server stores them. */
async function fill(database, objects) {
  const { openLmdb } = await import(join(root, 'packages/storage/dist/lmdb/index.js'));
  const store = await openLmdb({ path: database, noSync: true });
  for (let i = 0; i < objects; i += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, k) => store.create(`/registry/configmaps/default/c${i + k}`, value(i + k))),
    );
  await store.compact(await store.revision());
  await store.close();
}

function value(i) {
  const uid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
  const metadata = { name: `c${i}`, namespace: 'default', uid, creationTimestamp: '2026-01-01T00:00:00Z' };
  return Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: 'x'.repeat(800) } }));
}

async function measure(dataDir, count, objects, ms, settleMs) {
  const server = spawn(process.execPath, [program, 'serve', '--secure-port=0', `--workers=${count}`, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => server.stdout.once('data', resolve));
    const kubeconfig = readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8');
    const indexes = await listInEach(kubeconfig, count);
    await pause(settleMs);
    const pids = [server.pid, ...childrenOf(server.pid)];
    const memory = memoryOf(pids);
    print(`workers ${count} (lists answered by ${indexes}): PSS ${memory.map(mib).join(' + ')} = ${mib(sum(memory))} MiB`);
    const run = async (title, load) =>
      print(`  ${title.padEnd(24)}${await costOf(pids, ms, () => drive(kubeconfig, { ...load, objects, ms }))}`);
    // Compiles the code that the measurement runs.
    await drive(kubeconfig, { what: 'get', objects, ms });
    await run('gets', { what: 'get' });
    // All connections at one process, which is then as busy as a single one: the cost of a request there.
    if (count > 1) for (const only of [0, 1]) await run(`gets at process ${only}`, { what: 'get', only: String(only) });
    await run('creates', { what: 'create' });
    await watchEvents(run, kubeconfig);
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
  }
}

/** Creates with watches of all objects open: each create is an event of every watch. */
async function watchEvents(run, kubeconfig) {
  const sessions = Array.from({ length: connections }, () => session2(kubeconfig));
  const { body } = await send(sessions[0], { ':path': `${path}?limit=1` });
  const { resourceVersion } = JSON.parse(body).metadata;
  for (let i = 0; i < watches; i++) {
    const stream = sessions[i % connections].request({ ':path': `${path}?watch=1&resourceVersion=${resourceVersion}` });
    const answered = new Promise((resolve) => stream.once('response', resolve));
    stream.on('error', () => {}).resume();
    await answered;
  }
  await run(`creates, ${watches} watches`, { what: 'create', paced: true });
  for (const session of sessions) session.destroy();
}

/**
 * Requests a second as measured, the CPU time of each process per request of the whole server, and the rate at which the busiest
 * process would need a whole core: the throughput with a core for each process.
 */
async function costOf(pids, ms, run) {
  const before = pids.map(cpuSeconds);
  const rate = await run();
  const each = pids.map((pid, i) => (cpuSeconds(pid) - before[i]) / ((rate * ms) / 1000));
  const cost = each.map((seconds) => (seconds * 1e6).toFixed(0)).join(' + ');
  return `${Math.round(rate)}/s, ${cost} us of CPU each, ${Math.round(1 / Math.max(...each))}/s with a core for each process`;
}

/** User and system time, in ticks of 10 ms. */
function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Every process loads its watch cache with the first list. */
async function listInEach(kubeconfig, count) {
  const seen = new Set();
  const sessions = [];
  for (let i = 0; i < 100 && seen.size < count; i++) {
    const session = session2(kubeconfig);
    sessions.push(session);
    const worker = (await send(session, { ':path': '/version' })).headers['x-tsukube-worker'] ?? '0';
    if (seen.has(worker)) await pause(100);
    else await send(session, { ':path': `${path}?limit=500` });
    seen.add(worker);
  }
  for (const session of sessions) session.destroy();
  return [...seen].sort().join();
}

/** Closed loops in two processes; `paced` is one request at a time of each. */
async function drive(kubeconfig, load) {
  const rates = await Promise.all(
    [0, 1].map((index) => {
      const child = fork(fileURLToPath(import.meta.url));
      child.send({ kubeconfig, index, ...load });
      return new Promise((resolve) => child.once('message', resolve));
    }),
  );
  return sum(rates);
}

async function load() {
  const { kubeconfig, what, only, paced, objects, ms, index } = await new Promise((resolve) => process.once('message', resolve));
  const sessions = await sessionsAt(kubeconfig, paced ? 1 : connections, only);
  const end = performance.now() + ms;
  let done = 0;
  const loop = async (session) => {
    while (performance.now() < end) {
      const name = `n${process.pid}-${index}-${done++}`;
      if (what === 'get') await send(session, { ':path': `${path}/c${Math.floor(Math.random() * objects)}` });
      else await send(session, { ':method': 'POST', ':path': path, 'content-type': 'application/json' }, configMap(name));
    }
  };
  const streams = paced ? 1 : streamsPerConnection;
  await Promise.all(sessions.flatMap((session) => Array.from({ length: streams }, () => loop(session))));
  for (const session of sessions) session.destroy();
  process.send(done / (ms / 1000), () => process.exit());
}

/** Connections to any process, or only to the one with an index. */
async function sessionsAt(kubeconfig, count, only) {
  const [taken, others] = [[], []];
  while (taken.length < count) {
    const session = session2(kubeconfig);
    const { headers } = await send(session, { ':path': '/version' });
    const isWanted = only === undefined || (headers['x-tsukube-worker'] ?? '0') === only;
    (isWanted ? taken : others).push(session);
  }
  for (const session of others) session.destroy();
  return taken;
}

function configMap(name) {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'x'.repeat(800) } });
}

function session2(kubeconfig) {
  const data = (name) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)[1], 'base64');
  const url = /server: (\S+)/.exec(kubeconfig)[1];
  const tls = { ca: data('certificate-authority-data'), cert: data('client-certificate-data'), key: data('client-key-data') };
  return connect(url, tls).on('error', () => {});
}

function send(session, headers, body) {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let answered;
    const chunks = [];
    stream.on('response', (given) => {
      answered = given;
    });
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      if (answered?.[':status'] < 300) resolve({ headers: answered, body: Buffer.concat(chunks) });
      else reject(new Error(`${headers[':path']} was answered with ${answered?.[':status']}`));
    });
    stream.on('error', reject);
    if (body !== undefined) stream.end(body);
  });
}

/** Proportional set sizes: a page that several processes share is counted once. */
function memoryOf(pids) {
  return pids.map((pid) => Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) * 1024);
}

function childrenOf(pid) {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, 'utf8') : '';
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid && stat !== '' ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function mib(bytes) {
  return (bytes / 2 ** 20).toFixed(0);
}
