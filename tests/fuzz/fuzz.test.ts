import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeTrend, type Sample, sampleOf, trendsOf } from '../soak/measurements.ts';
import { type Client, clientFor } from '../support/client.ts';
import { createDefinition } from '../support/definitions.ts';
import { isLong, showProgress } from '../support/progress.ts';
import { seeded } from '../support/random.ts';
import { launchServer, notBuilt, type ServerProcess } from '../support/server-process.ts';
import { type Ask, http1Client, http2Client } from './clients.ts';
import { customObjects, definitions } from './definitions.ts';
import { Findings } from './findings.ts';
import { Follower, Inspector } from './inspector.ts';
import { RequestMaker } from './requests.ts';
import { discover, type FuzzedResource, manifestObjects, namespace, plantSeeds } from './resources.ts';

/** `npm run test:fuzz -- --requests 1000000` */
const requests = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const seed = Number(process.env.FUZZ_SEED ?? 1);
const lanes = 32;
/** With this value all resources are inspected once in about 10,000 requests. */
const requestsPerInspection = 100;
const samples = 40;
const probe = fileURLToPath(new URL('../support/memory-probe.cjs', import.meta.url));

let folder: string;
let dataDir: string;
let server: ServerProcess;
let client: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-fuzz-'));
  dataDir = join(folder, 'data');
  const args = ['--etcd-compaction-interval=1m', '--event-ttl=5m', '--unsafe-no-fsync'];
  server = launchServer({ dataDir, args, nodeArgs: ['--require', probe], ipc: true, quiet: true });
  client = clientFor(await server.ready);
});

afterAll(async () => {
  client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function prepare(): Promise<FuzzedResource[]> {
  for (const each of definitions) await createDefinition(client, each);
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const resources = await discover(client);
  const objects = await manifestObjects();
  await plantSeeds(client, resources, [...objects, ...customObjects]);
  return resources;
}

/** The resources to watch, each in one version. */
function watchable(resources: readonly FuzzedResource[]): FuzzedResource[] {
  const seen = new Set<string>();
  return resources.filter(({ verbs, group, plural }) => {
    const isNew = verbs.includes('watch') && !seen.has(`${group}/${plural}`);
    seen.add(`${group}/${plural}`);
    return isNew;
  });
}

/** Sends requests sequentially until enough were sent. A request without a response is a finding. */
async function fuzz(ask: Ask, maker: RequestMaker, findings: Findings): Promise<void> {
  while (findings.requests < requests) {
    const request = maker.next();
    try {
      findings.note(request, await ask(request));
    } catch (error) {
      findings.requests++;
      findings.add(`no answer: ${String(error)} (${request.about})`, `${request.method} ${request.path}`);
    }
  }
}

/** Inspects the resources in turn while requests are being sent. */
async function inspect(inspector: Inspector, resources: readonly FuzzedResource[], findings: Findings): Promise<void> {
  for (let i = 0; findings.requests < requests; i++) {
    await inspector.inspect(resources[i % resources.length] as FuzzedResource, 2);
    const next = Math.min(requests, (i + 1) * requestsPerInspection);
    while (findings.requests < next) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function measure(findings: Findings, taken: Sample[]): Promise<void> {
  const began = performance.now();
  for (let next = 0; findings.requests < requests; ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (findings.requests < next) continue;
    next += requests / samples;
    taken.push(sampleOf(performance.now() - began, await server.ask<NodeJS.MemoryUsage>('memory'), dataDir));
  }
}

/** Deletes all objects created by the fuzz test. Returns those that still exist after a while. */
async function clean(inspector: Inspector, resources: readonly FuzzedResource[]): Promise<string[]> {
  const deletable = resources.filter(({ verbs }) => verbs.includes('delete') && verbs.includes('list'));
  for (let round = 0; ; round++) {
    const left: string[] = [];
    for (const resource of deletable)
      for (const item of await inspector.listFuzzed(resource)) {
        left.push(`${resource.plural}/${item.metadata.name} ${JSON.stringify(item.metadata)}`);
        await inspector.remove(resource, item);
      }
    if (left.length === 0 || round === 20) return left;
    await new Promise((resolve) => setTimeout(resolve, 100 * round));
  }
}

describe.skipIf(notBuilt)('mutated objects of every kind', () => {
  it(`cause no server error in ${requests} requests, and stored objects stay readable`, {
    timeout: 120_000 + requests * 20,
  }, async () => {
    const resources = await prepare();
    const [http1, http2] = [http1Client(client, lanes), http2Client(client)];
    const findings = new Findings();
    const inspector = new Inspector(http2.ask, findings);
    const followers = watchable(resources).map((resource) => new Follower(resource, client));
    const failures: string[] = [];
    const following = Promise.all(followers.map((each) => each.run().catch((error) => failures.push(String(error)))));
    const taken: Sample[] = [];
    const stopProgress = showProgress(
      () => `${findings.summary}, ${inspector.inspected} inspections, ${taken.at(-1)?.heap.toFixed(0)} MiB of heap`,
    );
    const makers = Array.from({ length: lanes }, (_, lane) => new RequestMaker(resources, seeded(seed * 1000 + lane)));
    await Promise.all([
      ...makers.map((maker, lane) => fuzz(lane % 2 === 0 ? http1.ask : http2.ask, maker, findings)),
      inspect(inspector, resources, findings),
      measure(findings, taken),
    ]);
    stopProgress();
    for (const resource of resources) await inspector.inspect(resource, 100);
    for (const follower of followers) failures.push(...(await follower.differences()));
    const left = await clean(inspector, resources);
    for (const follower of followers) follower.stop();
    http1.close();
    http2.close();
    await following;
    report(findings, taken);
    expect(findings.unexplained).toEqual([]);
    expect(failures).toEqual([]);
    expect(left).toEqual([]);
    expect(uncaught()).toEqual([]);
    if (requests >= 100_000)
      expect(
        trendsOf(taken)
          .filter(({ quantity, isFlat }) => quantity === 'heap' && !isFlat)
          .map(describeTrend),
      ).toEqual([]);
    expect(await server.stop()).toBe(0);
  });
});

/** Log lines about uncaught errors. */
function uncaught(): string[] {
  const log = readFileSync(join(dataDir, 'logs', 'tsukube.log'), 'utf8');
  return log.split('\n').filter((line) => /uncaught|unhandled/i.test(line));
}

function report(findings: Findings, taken: readonly Sample[]): void {
  console.log(`fuzz: ${findings.summary}, seed ${seed}`);
  for (const line of findings.listed) console.log(`  ${line}`);
  if (isLong) for (const trend of trendsOf(taken)) console.log(`  ${describeTrend(trend)}`);
}
