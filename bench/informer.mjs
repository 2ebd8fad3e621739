#!/usr/bin/env node
// An informer of @tsukube/client takes in many objects, beside that of @kubernetes/client-node if a folder with it is given:
// node bench/informer.mjs [--objects 100000] [--kubeconfig FILE] [--client-node FOLDER]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, command } from '../scripts/build.mjs';

const namespace = 'informer-bench';
const runs = 3;
const program = fileURLToPath(import.meta.url);
const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '100000' },
    kubeconfig: { type: 'string' },
    measure: { type: 'string' },
    'client-node': { type: 'string' },
  },
});
const count = Number(values.objects);

if (values.measure) await measure(values.measure);
else await compare();

async function compare() {
  await build();
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-informer-'));
  const server = values.kubeconfig ? undefined : await startServer(folder);
  const kubeconfig = values.kubeconfig ?? join(folder, 'admin.kubeconfig');
  try {
    await createObjects(kubeconfig);
    for (const name of ['tsukube', 'client-node']) {
      if (name === 'client-node' && !values['client-node']) {
        console.log('client-node  skipped: run npm install @kubernetes/client-node in a folder, and give it by --client-node');
        continue;
      }
      const results = Array.from({ length: runs }, () => measured(name, kubeconfig));
      const best = (key) => Math.min(...results.map((result) => result[key]));
      const parts = [
        `${best('seconds').toFixed(2)} s`,
        `heap ${best('heap')} MiB`,
        `peak ${best('peak')} MiB`,
        `CPU ${best('cpu').toFixed(2)} s`,
      ];
      console.log(`${name.padEnd(12)} ${count} objects: ${parts.join(', ')}`);
    }
  } finally {
    server?.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startServer(folder) {
  const args = [command, 'serve', '--secure-port=0', '--data-dir', folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const _ of createInterface(child.stdout)) return child;
  throw new Error('the server ended before it was ready');
}

/** Objects of about 1 kB, with the managed fields that writers leave. */
async function createObjects(kubeconfig) {
  const { isAlreadyExists, KubeClient } = await import('@tsukube/client');
  const client = await KubeClient.load({ kubeconfig, rateLimit: false });
  const ignore = (error) => (isAlreadyExists(error) ? undefined : Promise.reject(error));
  await client
    .resource('v1/namespaces')
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    .catch(ignore);
  const maps = client.resource('v1/configmaps', { namespace });
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < count; i = next++) {
      const metadata = { name: `object-${i}`, labels: { app: `app-${i % 100}`, tier: 'backend' } };
      const data = { text: 'x'.repeat(600), number: String(i) };
      await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }).catch(ignore);
    }
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  client.close();
}

/** Measures in a process of its own. */
function measured(name, kubeconfig) {
  const args = [
    '--expose-gc',
    '--max-old-space-size=4096',
    program,
    '--measure',
    name,
    '--kubeconfig',
    kubeconfig,
    '--objects',
    String(count),
    ...(values['client-node'] ? ['--client-node', values['client-node']] : []),
  ];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`the measurement of ${name} failed`);
  return JSON.parse(stdout);
}

async function measure(name) {
  const informer = await (name === 'tsukube' ? ours() : theirs());
  const before = process.cpuUsage();
  const began = performance.now();
  const size = await informer.start();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  globalThis.gc();
  const heap = Math.round(process.memoryUsage().heapUsed / 2 ** 20);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  if (size < count) throw new Error(`only ${size} objects`);
  process.stdout.write(JSON.stringify({ seconds, heap, peak, cpu: (user + system) / 1e6 }), () => process.exit(0));
}

async function ours() {
  const { Informer, KubeClient } = await import('@tsukube/client');
  const client = await KubeClient.load({ kubeconfig: values.kubeconfig });
  const informer = new Informer(client.resource('v1/configmaps', { namespace }));
  return {
    start: async () => {
      informer.run(new AbortController().signal);
      await informer.synced();
      return informer.store.size;
    },
  };
}

async function theirs() {
  const { CoreV1Api, KubeConfig, makeInformer } = await import(
    createRequire(join(resolve(values['client-node']), 'x.js')).resolve('@kubernetes/client-node')
  );
  const config = new KubeConfig();
  config.loadFromFile(values.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const informer = makeInformer(config, path, () => api.listNamespacedConfigMap({ namespace }));
  return {
    start: async () => {
      await informer.start();
      return informer.list().length;
    },
  };
}
