import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { isLong } from '../support/progress.ts';
import { useServer } from '../support/server.ts';
import { type Terminal, useWorkplace } from './terminal.ts';
import { parseTranscript, renderTranscript, replayTranscript } from './transcript.ts';
import { kubectls, missingKubectls } from './versions.ts';

const folder = fileURLToPath(new URL('conversations', import.meta.url));
const conversations = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => [file.replace('.txt', ''), readFileSync(join(folder, file), 'utf8')] as const);

describe.each(missingKubectls)('%s', () => {
  it.skip.each(conversations)('%s', () => {});
});

const timeout = { timeout: 90_000 };

/** The oldest and the newest version; long runs have those in between. */
const tested = kubectls.filter((_, i, all) => isLong || i === 0 || i === all.length - 1);

describe.each(tested.map((kubectl) => [kubectl.version, kubectl] as const))('kubectl %s', (version, kubectl) => {
  const t = useServer();
  const workplace = useWorkplace(kubectl, () => t.server.kubeconfig);

  /** Each conversation has its own namespace. */
  async function inNamespace(name: string): Promise<string> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    expect((await t.client.send('POST', '/api/v1/namespaces', namespace)).status).toBe(201);
    return name;
  }

  async function terminalIn(namespace: string): Promise<Terminal> {
    return workplace.terminal(await inNamespace(namespace));
  }

  it.concurrent.each(conversations)('%s', timeout, async (name, text) => {
    const expected = parseTranscript(text, version);
    const actual = await replayTranscript(expected, workplace.shell(await inNamespace(name)));
    expect(renderTranscript(actual)).toBe(renderTranscript(expected));
  });

  it.concurrent('prints watch events', timeout, async () => {
    const { run, open } = await terminalIn('lookout');
    const table = open('kubectl get cm --field-selector metadata.name=bird -w');
    const events = open('kubectl get cm -l seen=yes -w --output-watch-events');
    await run('kubectl create cm bird --from-literal=kind=owl');
    await table.shows(/^NAME +DATA +AGE\nbird +1 +\d+s\n$/);
    await run('kubectl label cm bird seen=yes');
    await events.shows(/^EVENT +NAME +DATA +AGE\nADDED +bird +1 +\d+s\n$/);
    await run('kubectl patch cm bird -p \'{"data":{"age":"2"}}\'');
    await table.shows(/\nbird +1 +\d+s\nbird +1 +\d+s\nbird +2 +\d+s\n$/);
    await run('kubectl label cm bird seen-');
    await events.shows(/\nADDED +bird +1 +\d+s\nMODIFIED +bird +2 +\d+s\nDELETED +bird +2 +\d+s\n$/);
    await run('kubectl delete cm bird');
    await table.shows(/\nbird +2 +\d+s\nbird +2 +\d+s\nbird +2 +\d+s\n$/);
  });

  it.concurrent('ends a watch on its timeout', timeout, async () => {
    const { run } = await terminalIn('clock');
    await run('kubectl create cm hand --from-literal=at=12');
    expect(await run('kubectl get cm hand -w --request-timeout=1s')).toMatch(/^NAME +DATA +AGE\nhand +1 +\d+s\n/);
  });

  it.concurrent('waits for a deletion', timeout, async () => {
    const { run, open } = await terminalIn('station');
    await run('kubectl create cm train --from-literal=line=1');
    await run('kubectl patch cm train -p \'{"metadata":{"finalizers":["example.com/hold"]}}\'');
    const deletion = open('kubectl delete cm train');
    await deletion.shows(/^configmap "train" deleted/);
    const waiting = open('kubectl wait --for=delete cm/train --timeout=30s');
    await Promise.all([deletion.watches(), waiting.watches()]);
    expect([deletion.hasEnded, waiting.hasEnded]).toEqual([false, false]);
    await run('kubectl patch cm train -p \'{"metadata":{"finalizers":null}}\'');
    await waiting.shows(/^configmap\/train condition met\n$/);
    expect(await Promise.all([deletion.exitCode, waiting.exitCode])).toEqual([0, 0]);
  });

  it.concurrent('deletes a namespace with its contents, and waits until it is gone', timeout, async () => {
    const { run, open } = await terminalIn('ruin');
    await run('kubectl create cm wall --from-literal=x=y');
    await run('kubectl create secret generic vault --from-literal=x=y');
    await run('kubectl patch cm wall -p \'{"metadata":{"finalizers":["example.com/hold"]}}\'');
    const deletion = open('kubectl delete namespace ruin');
    await deletion.shows(/^namespace "ruin" deleted/);
    await vi.waitFor(async () => expect(await run('kubectl get secrets')).toContain('No resources found'), 20_000);
    expect(await run('kubectl get ns ruin')).toMatch(/\nruin +Terminating /);
    expect(await run('kubectl create cm door --from-literal=x=y')).toContain(
      'configmaps "door" is forbidden: unable to create new content in namespace ruin because it is being terminated',
    );
    expect(deletion.hasEnded).toBe(false);
    await run('kubectl patch cm wall -p \'{"metadata":{"finalizers":null}}\'');
    expect(await deletion.exitCode).toBe(0);
    expect(await run('kubectl get ns ruin')).toContain('Error from server (NotFound): namespaces "ruin" not found');
  });
});
