import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeOf } from '../docs/documents.ts';
import { useWorkplace } from '../kubectl/terminal.ts';
import { kubectls } from '../kubectl/versions.ts';
import { databaseMissing, type RunningDatabase, startDatabase } from '../support/databases.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { type ExampleProcess, startProgram } from './example-process.ts';

const kubectl = kubectls.at(-1) as NonNullable<(typeof kubectls)[number]>;
const example = (name: string) => placeOf(join('examples/api-servers', name));

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

const stores = ['LMDB', ...(etcdMissing ? [] : ['etcd'])];

describe.skipIf(!kubectl).each(stores)('examples/api-servers/standalone on %s', (store) => {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-standalone-'));
  let etcd: RunningEtcd | undefined;
  let env: NodeJS.ProcessEnv;
  let program: ExampleProcess;
  beforeAll(async () => {
    etcd = store === 'etcd' ? await startEtcd() : undefined;
    env = { DATA_DIR: folder, PORT: String(await freePort()), ...(etcd && { ETCD_SERVERS: etcd.endpoint }) };
    program = await startProgram(example('standalone/server.ts'), env);
  }, 90_000);
  afterAll(async () => {
    await program.stop();
    await etcd?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const workplace = useWorkplace(kubectl, () => readFileSync(join(folder, 'kubeconfig'), 'utf8'));

  it('serves four kinds to kubectl, also after a restart', { timeout: 90_000 }, async () => {
    const { run } = workplace.terminal('default');
    const files = example('standalone');
    expect(await run(`kubectl create -f ${files}/machine.yaml`)).toBe('virtualmachine.infra.example.com/db created\n');
    expect(await run('kubectl get vm')).toMatch(/^NAME +CPUS +MEMORY +NODE +PHASE +AGE\ndb +4 +8Gi +rack-1 +Stopped +\d+s\n$/);
    expect(await run("kubectl get vm db -o jsonpath='{.metadata.labels}'")).toBe('{"infra.example.com/owner":"admin"}\n');
    expect(await run(`kubectl patch vm db --type=merge -p '{"spec":{"running":true}}'`)).toContain('patched');
    expect(await run(`kubectl patch vm db --type=merge -p '{"spec":{"cpus":8}}'`)).toBe(
      'The VirtualMachine "db" is invalid: spec.cpus: Forbidden: stop the machine before you change it\n[exit 1]\n',
    );
    expect(await run(`kubectl patch vm db --subresource=status --type=merge -p '{"status":{"phase":"Running"}}'`)).toContain(
      'patched',
    );
    expect(await run('kubectl get vm --field-selector spec.node=rack-1')).toContain('Running');
    const apply = (yaml: string) => run(`kubectl apply --server-side -f - <<'END'\n${yaml}\nEND`);
    const object = (kind: string, spec: string) =>
      `{apiVersion: infra.example.com/v1, kind: ${kind}, metadata: {name: a}, spec: ${spec}}`;
    expect(await apply(object('PhysicalNode', '{address: 10.0.0.1, cpus: 64}'))).toContain('serverside-applied');
    expect(await apply(object('StoragePool', '{driver: zfs, capacityGiB: 200, usedGiB: 50}'))).toContain('serverside-applied');
    expect(await apply(object('StoragePool', '{driver: floppy, capacityGiB: 1}'))).toContain('Unsupported value: "floppy"');
    expect(await apply(object('NetPool', '{cidr: 10.1.0.0/16, vlan: 7}'))).toContain('serverside-applied');
    expect(await run('kubectl get infra')).toMatch(/storagepool.infra.example.com\/a +zfs +25% +/);
    expect(await run('kubectl explain storagepool.spec.driver')).toContain('FIELD: driver');
    expect(await program.stop()).toBe(0);
    program = await startProgram(example('standalone/server.ts'), env);
    expect(await run('kubectl get vm db -o jsonpath={.status.phase}')).toBe('Running\n');
    expect(await run('kubectl delete vm db')).toContain('"db" deleted');
    expect(await run('kubectl get vm')).toBe('No resources found in default namespace.\n');
  });
});

describe.skipIf(!kubectl || databaseMissing.mysql)('examples/api-servers/blog', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-blog-'));
  const kubeconfig = join(folder, 'kubeconfig');
  let database: RunningDatabase;
  let program: ExampleProcess;
  beforeAll(async () => {
    database = await startDatabase('mysql');
    program = await startProgram(example('blog/server.ts'), {
      DATABASE_URL: database.dsn,
      PORT: String(await freePort()),
      KUBECONFIG_OUT: kubeconfig,
    });
  }, 90_000);
  afterAll(async () => {
    await program?.stop();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const workplace = useWorkplace(kubectl, () => readFileSync(kubeconfig, 'utf8'));

  it('posts are rows of the own table, and the informer sees new ones', { timeout: 90_000 }, async () => {
    const { run, open } = workplace.terminal('default');
    expect(await run('kubectl get posts')).toBe('No resources found in default namespace.\n');
    expect(await run(`kubectl create -f ${example('blog/post.yaml')}`)).toBe('post.blog.example.com/hello created\n');
    expect(await run('kubectl get posts')).toMatch(/^NAME +TITLE +WORDS +AGE\nhello +Hello, world +6 +\d+s\n$/);
    await expect.poll(() => program.lines, { timeout: 10_000 }).toContain('post hello: Hello, world');
    expect(await run(`kubectl create -f ${example('blog/post.yaml')}`)).toContain('AlreadyExists');

    const screen = open('kubectl get posts --watch');
    await screen.shows(/hello/);
    const sql = await createConnection(database.dsn);
    await sql.query('UPDATE version SET last = last + 1');
    await sql.query(`INSERT INTO posts SELECT 'default', 'by-sql', 'Not by kubectl', '', '{}', last, FALSE FROM version`);
    await screen.shows(/Not by kubectl/);
    await expect.poll(() => program.lines, { timeout: 10_000 }).toContain('post by-sql: Not by kubectl');
    screen.close();

    expect(await run(`kubectl patch post hello --type=merge -p '{"title":"Hello again"}'`)).toContain('patched');
    expect(await run(`kubectl apply --server-side --force-conflicts -f ${example('blog/post.yaml')}`)).toContain(
      'serverside-applied',
    );
    const [rows] = await sql.query("SELECT title, body FROM posts WHERE name = 'hello'");
    expect(rows).toEqual([{ title: 'Hello, world', body: 'The first post of this blog.' }]);
    expect(await run('kubectl delete posts --all')).toContain('"hello" deleted');
    expect(await run('kubectl get posts')).toBe('No resources found in default namespace.\n');
    expect(await run(`kubectl create -f ${example('blog/post.yaml')}`)).toContain('created');
    await sql.end();
    expect(await program.stop()).toBe(0);
  });
});

it('the examples have correct types', { timeout: 60_000 }, () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [placeOf('node_modules/typescript/bin/tsc'), '-p', placeOf('examples/api-servers')],
    {
      encoding: 'utf8',
    },
  );
  expect([stdout, status]).toEqual(['', 0]);
});
