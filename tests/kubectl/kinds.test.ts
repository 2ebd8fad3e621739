import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { sessionFor } from './kinds/session.ts';
import { useWorkplace } from './terminal.ts';
import { parseTranscript, renderTranscript, replayTranscript } from './transcript.ts';
import { type Kubectl, kubectls } from './versions.ts';

/**
 * Uses kubectl on every kind: create, get in all formats, describe, explain, edit, scale, wait, delete. The expected output was
 * recorded from kube-apiserver; RECORD_KINDS=KUBECONFIG records it again. Recorded from this server are the output of kubectl 1.20
 * for API versions that kube-apiserver no longer serves (network, workloads), and aggregation, because kube-apiserver sets the
 * conditions of APIServices at another time.
 */
const recorded = process.env.RECORD_KINDS;
const folder = fileURLToPath(new URL('kinds', import.meta.url));
const manifests = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace('.yaml', ''));
const tested = kubectls.filter(({ version }) => version === '1.20' || version === '1.33');

describe.each(tested.map((kubectl) => [kubectl.version, kubectl] as const))('kubectl %s', (version, kubectl) => {
  // The recorded kube-apiserver had no controllers, which would write these statuses.
  const controllers = ['*', '-resourcequota-controller', '-validatingadmissionpolicy-status-controller'];
  const t = recorded ? undefined : useServer({ controllers });
  const kubeconfig = () => t?.server.kubeconfig ?? readFileSync(recorded as string, 'utf8');
  const workplace = useWorkplace(kubectl as Kubectl, kubeconfig);
  const play = recorded ? it : it.concurrent;

  play.each(manifests)('%s', { timeout: 120_000 }, async (name) => {
    const manifest = readFileSync(join(folder, `${name}.yaml`), 'utf8');
    const namespace = `kinds-${name}`;
    const client = clientFor(kubeconfig());
    await client.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    client.close();
    const shell = workplace.shell(namespace);
    writeFileSync(join(shell.cwd, 'objects.yaml'), manifest);
    const commands = sessionFor(manifest, version).map((command) => ({ command, output: '' }));
    const actual = renderTranscript(await replayTranscript(commands, shell));
    const file = join(folder, `${name}-${version}.txt`);
    if (recorded) writeFileSync(file, actual);
    else expect(actual).toBe(renderTranscript(parseTranscript(readFileSync(file, 'utf8'), version)));
  });
});

describe.skipIf(recorded)('the manifests', () => {
  const t = useServer();
  /** Kinds without get, edit and delete, which conversations/reviews.txt tests. */
  const elsewhere = [
    'Binding',
    'ComponentStatus',
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview',
    'SelfSubjectReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
    'TokenReview',
  ];

  it('contain every kind in discovery', async () => {
    const { groups } = (await t.client.get('/apis')).body as { groups: { versions: { groupVersion: string }[] }[] };
    const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
    const lists = await Promise.all(['/api/v1', ...versions].map(async (path) => (await t.client.get(path)).body.resources));
    const served = lists.flat().filter(({ name }: { name: string }) => !name.includes('/'));
    const said = manifests.flatMap((name) => [...readFileSync(join(folder, `${name}.yaml`), 'utf8').matchAll(/^kind: (\w+)$/gm)]);
    const kinds = new Set([...said.map(([, kind]) => kind), ...elsewhere]);
    expect([...new Set(served.map(({ kind }: { kind: string }) => kind))].sort()).toEqual([...kinds].sort());
  });
});
