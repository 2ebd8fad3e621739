import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { useWorkplace } from './terminal.ts';
import { runCommand, type Shell } from './transcript.ts';
import { kubectls, missingKubectls } from './versions.ts';

/** CRDs modelled on well-known projects, with objects and the responses recorded from kube-apiserver. */
const shapes = ['mesh-route', 'certificate', 'gateway', 'machine', 'alerts', 'composite', 'rollout', 'serving'];
const recorded = new URL('../../packages/machinery/src/structural/recorded/', import.meta.url);

const group = 'shapes.example.com';

interface Shape {
  readonly kind: string;
  readonly plural: string;
  readonly schema: Any;
  readonly accepted: readonly Any[];
  readonly refused: readonly Any[];
}

function readShape(file: string): Shape {
  const { schema, cases } = JSON.parse(readFileSync(new URL(`${file}.json`, recorded), 'utf8'));
  const created = cases.filter(({ old }: Any) => old === undefined);
  const kind = file.replace(/(^|-)(.)/g, (_match, _dash, letter: string) => letter.toUpperCase());
  return {
    kind,
    plural: `${kind.toLowerCase()}s`,
    schema,
    accepted: created.filter(({ answer }: Any) => answer.code === 201),
    refused: created.filter(({ answer }: Any) => answer.code === 422),
  };
}

function definition({ kind, plural, schema }: Pick<Shape, 'kind' | 'plural' | 'schema'>): Any {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

function objectOf(kind: string, name: string, content: Any): Any {
  return { apiVersion: `${group}/v1`, kind, metadata: { name }, ...content };
}

/** Writes a List manifest and returns its file name. */
function write(shell: Shell, file: string, items: readonly Any[]): string {
  writeFileSync(join(shell.cwd, file), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return file;
}

describe.each(missingKubectls.filter((reason) => !reason.includes('1.27')))('%s', () => {
  it.skip('CRDs of well-known projects');
});

const oldestAndNewest = kubectls.filter((_, i, all) => i === 0 || i === all.length - 1);

describe.each(oldestAndNewest.map((kubectl) => [kubectl.version, kubectl] as const))('kubectl %s', (_version, kubectl) => {
  const t = useServer();
  const workplace = useWorkplace(kubectl, () => t.server.kubeconfig);

  it('installs CRDs modelled on well-known projects, and validates their objects', { timeout: 120_000 }, async () => {
    const shell = workplace.shell('default');
    const all = shapes.map(readShape);
    await runCommand(`kubectl apply -f ${write(shell, 'definitions.json', all.map(definition))}`, shell);
    const established = await runCommand('kubectl wait --for=condition=Established --timeout=20s crd --all', shell);
    expect(established.match(/condition met/g)).toHaveLength(shapes.length);
    for (const shape of all) await work(shape, shell);
  });

  it('installs a CRD of 800 KB', { timeout: 60_000 }, async () => {
    const shell = workplace.shell('default');
    const large = definition({ kind: 'Large', plural: 'larges', schema: largeSchema(800_000) });
    expect(JSON.stringify(large).length).toBeGreaterThan(800_000);
    expect(await runCommand(`kubectl create -f ${write(shell, 'large.json', [large])}`, shell)).toContain('created');
    await runCommand(`kubectl wait --for=condition=Established --timeout=20s crd/larges.${group}`, shell);
    const objects = [
      objectOf('Large', 'good', { spec: { field0: { name: 'a' } } }),
      objectOf('Large', 'bad', { spec: { field0: { name: 1 } } }),
    ];
    const said = await runCommand(`kubectl create --validate=false -f ${write(shell, 'objects.json', objects)}`, shell);
    expect(said).toContain(`large.${group}/good created`);
    expect(said).toContain(
      'spec.field0.name: Invalid value: "integer": spec.field0.name in body must be of type string: "integer"',
    );
  });
});

/** Accepted objects are stored as on kube-apiserver; refused ones have the same causes. */
async function work(shape: Shape, shell: Shell): Promise<void> {
  const { kind, plural, accepted, refused } = shape;
  const named = (cases: readonly Any[], prefix: string) => cases.map(({ object }, i) => objectOf(kind, `${prefix}-${i}`, object));
  await runCommand(`kubectl create --validate=false -f ${write(shell, 'good.json', named(accepted, 'good'))}`, shell);
  const { items } = JSON.parse(await runCommand(`kubectl get ${plural} -o json`, shell));
  expect(items.map(contentOf), kind).toEqual(accepted.map(({ answer }) => answer.object));
  const said = await runCommand(`kubectl create --validate=false -f ${write(shell, 'bad.json', named(refused, 'bad'))}`, shell);
  for (const [i, { answer, title }] of refused.entries()) {
    expect(said, title).toContain(`"bad-${i}" is invalid`);
    for (const { field, message } of answer.causes) expect(said, title).toContain(`${field}: ${message}`);
  }
}

function contentOf({ apiVersion: _, kind: __, metadata: ___, ...content }: Any): Any {
  return content;
}

/** A schema of about this size with many fields that use many keywords. */
function largeSchema(bytes: number): Any {
  const field = {
    type: 'object',
    description: 'One of very many fields, of which each is described at some length. '.repeat(4),
    properties: { name: { type: 'string', maxLength: 63 }, count: { type: 'integer', minimum: 0, default: 1 } },
  };
  const count = Math.ceil(bytes / JSON.stringify(field).length);
  const properties = Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, field]));
  return { type: 'object', properties: { spec: { type: 'object', properties } } };
}
