import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

const facts = fileURLToPath(new URL('../../packages/api/facts/paths-1.20.5.txt', import.meta.url));

const always = [
  '/api/v1',
  '/apis/',
  '/apis/autoscaling/v2beta1',
  '/flagz',
  '/healthz/ping',
  '/healthz/poststarthook/rbac/bootstrap-roles',
  '/livez/autoregister-completion',
  '/livez/poststarthook/bootstrap-controller',
  '/metrics/slis',
  '/openapi/v3/',
  '/readyz/etcd-readiness',
  '/readyz/poststarthook/start-kubernetes-service-cidr-controller',
  '/readyz/shutdown',
  '/statusz',
];
const of120 = readFileSync(facts, 'utf8').trim().split('\n');

const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-paths-'));
const t = useServer({ enableLogsHandler: true, dataDir });
mkdirSync(join(dataDir, 'logs'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const paths = async () => (await t.client.get('/')).body.paths as string[];

describe('/', () => {
  it('lists the served paths', async () => {
    expect(await paths()).toEqual(expect.arrayContaining(always));
  });

  it('lists all paths of Kubernetes 1.20', async () => {
    const listed = await paths();
    expect(of120.filter((path) => !listed.includes(path))).toEqual([]);
  });

  it('lists only paths that are served', async () => {
    // Kubernetes lists this prefix of other paths, too.
    const found = (await paths()).filter((path) => path !== '/openapi/v3/');
    const answers = await Promise.all(found.map(async (path) => `${path} ${await statusOf(path)}`));
    expect(answers.filter((answer) => !answer.endsWith(' 200'))).toEqual([]);
  });
});

async function statusOf(path: string): Promise<number> {
  const { status, headers } = await t.client.get(path);
  return status === 301 ? statusOf(new URL(headers.location as string, `https://server${path}`).pathname) : status;
}
