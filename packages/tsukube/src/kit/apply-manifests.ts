import { type KubernetesObject, TsukubeManifestError } from '../index.ts';
import type { HttpsClient } from './https-client.ts';
import { type ManifestObject, place } from './read-manifests.ts';

type Json = Readonly<Record<string, unknown>>;

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const fieldManager = 'tsukube';
const definition = 'CustomResourceDefinition';
const waitMs = 10_000;
const pollMs = 5;

/** Kinds that others depend on come first, kinds that intercept requests last. */
const ranks: Readonly<Record<string, number>> = {
  [definition]: 0,
  Namespace: 1,
  ...ranked(2, 'PriorityClass', 'RuntimeClass', 'StorageClass', 'IngressClass', 'ServiceAccount'),
  ...ranked(4, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration', 'APIService'),
  ...ranked(4, 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'),
  ...ranked(4, 'MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'),
};
const otherRank = 3;

/** Applies objects with server-side apply and waits until CRDs are established. Rejects with TsukubeManifestError. */
export async function applyManifests(
  client: HttpsClient,
  manifests: readonly ManifestObject[],
  createsAccounts: boolean,
): Promise<KubernetesObject[]> {
  const applied = new Map<ManifestObject, KubernetesObject>();
  const inOrder = [...manifests].sort((a, b) => rank(a) - rank(b));
  const definitions = inOrder.filter(({ object }) => object.kind === definition);
  const paths = resourcePaths(client);
  for (const [i, each] of inOrder.entries()) {
    applied.set(each, await applyOne(client, each, paths, createsAccounts));
    if (i === definitions.length - 1) await Promise.all(definitions.map((crd) => established(client, crd)));
  }
  return manifests.map((each) => applied.get(each) as KubernetesObject);
}

async function applyOne(
  client: HttpsClient,
  manifest: ManifestObject,
  paths: ResourcePaths,
  createsAccounts: boolean,
): Promise<KubernetesObject> {
  const { metadata } = manifest.object;
  const path = await paths(manifest);
  const send = () =>
    metadata?.name === undefined
      ? client.fetch(`${path}?fieldManager=${fieldManager}`, { method: 'POST', body: manifest.object })
      : client.fetch(`${path}/${encodeURIComponent(metadata.name)}?fieldManager=${fieldManager}&force=true`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: manifest.object,
        });
  const deadline = Date.now() + waitMs;
  for (;;) {
    const response = await send();
    const answer = (await response.json()) as KubernetesObject;
    if (response.ok) return answer;
    if (!createsAccounts || !lacksServiceAccount(answer) || Date.now() > deadline) throw refused(manifest, answer);
    await pause();
  }
}

/** The default ServiceAccount of a new namespace is created by a controller. */
function lacksServiceAccount({ code, message }: Json): boolean {
  return code === 403 && /serviceaccount "default" not found/.test(String(message));
}

type ResourcePaths = (manifest: ManifestObject) => Promise<string>;

/** The path of the collection that an object belongs to, by discovery. */
function resourcePaths(client: HttpsClient): ResourcePaths {
  const lists = new Map<string, readonly ApiResource[]>();
  const read = async (base: string): Promise<readonly ApiResource[]> => {
    const response = await client.fetch(base);
    if (!response.ok) return discard(response);
    const { resources = [] } = (await response.json()) as { resources?: ApiResource[] };
    return resources.filter(({ name }) => !name.includes('/'));
  };
  return async (manifest) => {
    const { apiVersion, kind, metadata } = manifest.object;
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = lists.get(base) ?? (await read(base));
    const resource = known.find((each) => each.kind === kind);
    if (resource === undefined) throw refused(manifest, { message: `no kind ${kind} in ${apiVersion}; is its CRD among crds?` });
    lists.set(base, known);
    return resource.namespaced
      ? `${base}/namespaces/${encodeURIComponent(metadata?.namespace ?? 'default')}/${resource.name}`
      : `${base}/${resource.name}`;
  };
}

/** A group version that is not served has no resources. */
async function discard(response: Response): Promise<readonly ApiResource[]> {
  await response.arrayBuffer();
  return [];
}

async function established(client: HttpsClient, manifest: ManifestObject): Promise<void> {
  const deadline = Date.now() + waitMs;
  const { apiVersion, metadata } = manifest.object;
  const path = `/apis/${apiVersion}/customresourcedefinitions/${encodeURIComponent(metadata?.name ?? '')}`;
  for (;;) {
    const object = (await (await client.fetch(path)).json()) as { status?: { conditions?: Json[] } };
    const conditions = object.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return;
    const rejected = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    if (rejected) throw refused(manifest, { message: `its names were not accepted: ${rejected.message}` });
    if (Date.now() > deadline) throw refused(manifest, { message: `not established after ${waitMs / 1000} seconds` });
    await pause();
  }
}

function refused(manifest: ManifestObject, status: Json): TsukubeManifestError {
  const { kind, metadata } = manifest.object;
  const name = metadata?.name ?? `${metadata?.generateName ?? ''}*`;
  const object = `${kind} ${metadata?.namespace === undefined ? '' : `${metadata.namespace}/`}${name}`;
  const { source, document } = manifest;
  const message = `${place(manifest)}, ${object}: ${status.message}`;
  return new TsukubeManifestError(message, { source, document, object, status: status.kind === 'Status' ? status : undefined });
}

function rank({ object }: ManifestObject): number {
  return Object.hasOwn(ranks, object.kind) ? (ranks[object.kind] as number) : otherRank;
}

function ranked(value: number, ...kinds: readonly string[]): Record<string, number> {
  return Object.fromEntries(kinds.map((kind) => [kind, value]));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pollMs));
}
