import { builtinTypes } from '@tsukube/api';
import { expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { isLong, showProgress } from '../support/progress.ts';
import { useServer } from '../support/server.ts';
import { holdOf, type LoopHold } from './event-loop.ts';
import { type LargeField, largeFields } from './field-walk.ts';
import { disproportion } from './proportion.ts';

/** Long runs (`npm run test:stalls`) have lists of every kind, more elements and more strings. */
const elements = isLong ? 16_000 : 1_500;
const characters = isLong ? 1_000_000 : 50_000;
const texts = isLong ? ['a', 'a.', 'a-', '1', 'iqn.0000-00.q', '{{', '::', '/a', ' ', '%', '$(', 'é'] : ['iqn.0000-00.q'];
const bounds = { briefMs: isLong ? 400 : 60, longestMs: 50 };

const t = useServer();

interface Kind {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: string;
}

/** The kinds with create, in their preferred versions. */
async function kinds(): Promise<readonly Kind[]> {
  const { groups } = (await t.client.get('/apis')).body;
  const preferred = groups.map((group: Any) => `/apis/${group.preferredVersion.groupVersion}`);
  const found: Kind[] = [];
  for (const path of ['/api/v1', ...preferred]) {
    const { groupVersion, resources } = (await t.client.get(path)).body;
    for (const { name, kind, namespaced, verbs } of resources) {
      const type = typeOf(groupVersion, kind);
      if (name.includes('/') || !verbs.includes('create') || type === undefined) continue;
      found.push({ path: `${path}${namespaced ? '/namespaces/default' : ''}/${name}`, apiVersion: groupVersion, kind, type });
    }
  }
  return found;
}

let types: Map<string, string> | undefined;

function typeOf(apiVersion: string, kind: string): string | undefined {
  types ??= new Map([...builtinTypes.names()].flatMap((name) => keysOf(name).map((key) => [key, name] as const)));
  return types.get(`${apiVersion}/${kind}`);
}

function keysOf(name: string): string[] {
  const { gvks = [] } = builtinTypes.get(name);
  return gvks.map(({ group, version, kind }) => `${group === '' ? version : `${group}/${version}`}/${kind}`);
}

/** Fields of shared types are tested once; in long runs, lists and maps are tested in every kind. */
function* fieldsOf(all: readonly Kind[]): Generator<readonly [Kind, LargeField]> {
  const seen = new Set<string>();
  for (const kind of all) {
    const { apiVersion, kind: name } = kind;
    const root = (value: Any) => ({ ...value, apiVersion, kind: name, metadata: { name: 'x', ...value.metadata } });
    for (const field of largeFields(kind.type, root)) {
      const identity = isLong && !field.isText ? `${kind.type} ${field.name}` : field.identity;
      if (seen.has(identity) || (field.isElaborate && !isLong)) continue;
      seen.add(identity);
      yield [kind, field];
    }
  }
}

async function costOf({ path }: Kind, field: LargeField, count: number, text: string): Promise<LoopHold | undefined> {
  const body = JSON.stringify(field.objectWith(count, text));
  const { result, hold } = await holdOf(() => t.client.send('POST', `${path}?dryRun=All`, body));
  // Kubernetes itself answers some invalid requests with 500, without a reason.
  if (result.status >= 500 && result.body.reason !== undefined) throw new Error(JSON.stringify(result.body));
  return result.status === 413 ? undefined : hold;
}

/** The problem of a field; undefined if its cost is proportional. */
async function complaint(kind: Kind, field: LargeField, text: string): Promise<string | undefined> {
  const name = `${kind.kind} ${field.name}${field.isText ? ` of ${JSON.stringify(text)}` : ''}`;
  const measure = (count: number) => costOf(kind, field, count, text);
  const found = await disproportion(measure, field.isText ? characters : elements, bounds).catch((error: Error) => error.message);
  return found === undefined ? undefined : `${name}: ${found}`;
}

it('no field of a built-in kind takes disproportionate time', { timeout: isLong ? 7_200_000 : 300_000 }, async () => {
  const complaints: string[] = [];
  let walked = 0;
  const stop = showProgress(() => `${walked} fields and texts, ${complaints.length} complaints`);
  for (const [kind, field] of fieldsOf(await kinds())) {
    for (const text of field.isText ? texts : ['']) {
      const found = await complaint(kind, field, text);
      if (found !== undefined) complaints.push(found);
      if (found !== undefined && isLong) console.error(found);
      walked++;
    }
  }
  stop();
  expect(complaints).toEqual([]);
  expect(walked).toBeGreaterThan(1000);
});
