import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startServer, TsukubeManifestError } from 'tsukube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

function crd(plural: string, kind: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.example.com
spec:
  group: example.com
  names: { plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind}, listKind: ${kind}List }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { size: { type: integer, maximum: 9 } } }
`;
}

const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'shop' }, spec: { size: 3 } };
const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

let folder: string;

// Loading the sources takes longer than any test.
beforeAll(async () => (await startServer()).close());

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-manifests-'));
  mkdirSync(join(folder, 'crds', 'more'), { recursive: true });
  writeFileSync(join(folder, 'crds', 'widgets.yaml'), `# generated\n---\n${crd('widgets', 'Widget')}`);
  writeFileSync(join(folder, 'crds', 'more', 'gadgets.yml'), crd('gadgets', 'Gadget'));
  writeFileSync(join(folder, 'crds', 'kustomization.yaml'), 'apiVersion: kustomize.config.k8s.io/v1\nkind: Kustomization\n');
  writeFileSync(join(folder, 'objects.yaml'), `${yaml(widget)}---\n---\n${yaml(shop)}---\n`);
  writeFileSync(
    join(folder, 'bad.yaml'),
    `${yaml(shop)}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n`,
  );
  writeFileSync(join(folder, 'broken.yaml'), `${yaml(shop)}---\na: b: c\n`);
});

afterAll(() => rmSync(folder, { recursive: true }));

function yaml(object: object): string {
  return `${JSON.stringify(object)}\n`;
}

describe('crds and manifests at start', () => {
  it('exist when the server is ready, regardless of their order', async () => {
    await using server = await startServer({ crds: [join(folder, 'crds/*.yaml')], manifests: [join(folder, 'objects.yaml')] });
    const response = await server.fetch('/apis/example.com/v1/namespaces/shop/widgets/w');
    expect(await response.json()).toMatchObject({ spec: { size: 3 } });
  });

  it.each<[string, (at: string) => unknown]>([
    ['a glob over folders', (at) => `${at}/crds/**/*.{yaml,yml}`],
    ['a folder', (at) => [`${at}/crds`, `${at}/crds/more`]],
    ['URLs of files', (at) => [pathToFileURL(`${at}/crds/widgets.yaml`), pathToFileURL(`${at}/crds/more/gadgets.yml`)]],
    ['YAML text', () => `${crd('widgets', 'Widget')}---\n${crd('gadgets', 'Gadget')}`],
    ['objects', () => [JSON.parse(JSON.stringify(definition('widgets', 'Widget'))), definition('gadgets', 'Gadget')]],
    [
      'a list',
      () => ({ apiVersion: 'v1', kind: 'List', items: [definition('widgets', 'Widget'), definition('gadgets', 'Gadget')] }),
    ],
  ])('may be %s', async (_, crds) => {
    await using server = await startServer({ crds: crds(folder) as string });
    const { resources } = (await (await server.fetch('/apis/example.com/v1')).json()) as { resources: { kind: string }[] };
    expect(resources.map(({ kind }) => kind).sort()).toEqual(['Gadget', 'Widget']);
  });

  it('may contain a namespace and its pods', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'shop' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    await using server = await startServer({ manifests: [pod, shop] });
    expect((await server.fetch('/api/v1/namespaces/shop/pods/a')).status).toBe(200);
  });

  it('can be applied later and repeatedly', async () => {
    await using server = await startServer({ crds: join(folder, 'crds/widgets.yaml') });
    const [first] = await server.apply([widget, shop]);
    expect(first).toMatchObject({ kind: 'Widget', spec: { size: 3 }, metadata: { uid: expect.any(String) } });
    const [again] = await server.apply({ ...widget, spec: { size: 4 } });
    expect(again).toMatchObject({ spec: { size: 4 }, metadata: { uid: first?.metadata?.uid } });
  });

  it.each<[string, () => object, object]>([
    [
      'objects that the server refuses',
      () => ({ manifests: join(folder, 'bad.yaml') }),
      {
        message: expect.stringMatching(/bad\.yaml, document 2, ConfigMap a: .*data\.a: expected string/s),
        document: 2,
        object: 'ConfigMap a',
        status: expect.objectContaining({ kind: 'Status' }),
      },
    ],
    [
      'violations of a schema',
      () => ({ crds: crd('widgets', 'Widget'), manifests: [shop, { ...widget, spec: { size: 10 } }] }),
      {
        message: expect.stringMatching(/^manifests\[1\], Widget shop\/w: .*spec\.size/),
        source: 'manifests[1]',
        document: undefined,
      },
    ],
    [
      'bad YAML',
      () => ({ manifests: join(folder, 'broken.yaml') }),
      { message: expect.stringMatching(/broken\.yaml, document 2: yaml: line 3: mapping values are not allowed/), document: 2 },
    ],
    [
      'an unknown kind',
      () => ({ manifests: [widget] }),
      { message: 'manifests[0], Widget shop/w: no kind Widget in example.com/v1; is its CRD among crds?' },
    ],
    ['no file', () => ({ crds: './none/*.yaml' }), { message: `crds: no file matches ./none/*.yaml in ${process.cwd()}` }],
    [
      'no CRD',
      () => ({ crds: join(folder, 'objects.yaml') }),
      { message: expect.stringContaining('no CustomResourceDefinition in') },
    ],
    [
      'no object',
      () => ({ manifests: 'just\ntext' }),
      { message: expect.stringContaining('manifests, document 1 is not a Kubernetes') },
    ],
    [
      'conflicting names',
      () => ({ crds: [definition('widgets', 'Widget'), definition('others', 'Widget')] }),
      {
        message: expect.stringMatching(
          /^crds\[1\], CustomResourceDefinition others\.example\.com: its names were not accepted: /,
        ),
      },
    ],
  ])('name the place of %s', async (_, options, expected) => {
    const error = await startServer(options()).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(TsukubeManifestError);
    expect(error).toMatchObject(expected);
  });
});

function definition(plural: string, kind: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      names: { plural, singular: plural.slice(0, -1), kind },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}
