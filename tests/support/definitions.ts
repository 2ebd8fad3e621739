import type { Client } from './client.ts';

export interface DefinitionOptions {
  readonly group?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly names?: object;
  readonly versions?: readonly object[];
  readonly conversion?: object;
  /** The schema of the default version, unless `versions` is set. */
  readonly schema?: object;
  /** Further fields of the default version. */
  readonly version?: object;
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A CustomResourceDefinition for `boxes`, of kind `Box`. */
export function definition(plural: string, options: DefinitionOptions = {}) {
  const { group = 'example.com', scope = 'Namespaced', names, conversion, schema = anything, version } = options;
  const singular = plural.replace(/(xe)?s$/, (_, x) => (x ? 'x' : ''));
  const kind = singular.charAt(0).toUpperCase() + singular.slice(1);
  const versions = options.versions ?? [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version },
  ];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, singular, kind, ...names }, versions, ...(conversion && { conversion }) },
  };
}

/** Creates a CRD, waits until it is established, and returns the path of its custom resources in the default namespace. */
export async function createDefinition(client: Client, object: ReturnType<typeof definition>): Promise<string> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { status, text } = await client.send('POST', path, object);
  if (status !== 201) throw new Error(text);
  const { group, scope, names, versions } = object.spec;
  await until(async () => (await client.send('GET', `${path}/${object.metadata.name}`)).text.includes('"InitialNamesAccepted"'));
  const [first] = versions as { name: string }[];
  return `/apis/${group}/${first?.name}${scope === 'Cluster' ? '' : '/namespaces/default'}/${names.plural}`;
}

/** Polls until the condition is true. */
export async function until(isTrue: () => Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('the condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
