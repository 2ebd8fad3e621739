import { type CacheEntry, decodeObject, deleteObject, type ObjectRegistry, updateExisting } from '@tsukube/apiserver';
import { podSecrets } from '@tsukube/builtin';
import { type JsonObject, type KubeObject, mapIn, objectsIn } from '@tsukube/machinery';
import { type ControllerContext, ignoreNotFound, type RunningController, registryNamed, writeAs } from './controller.ts';

const dayMs = 24 * 3_600_000;
/** A token that was not used for so long is marked as invalid, and deleted after the same time again. */
const unusedMs = 365 * dayMs;
const lastUsed = 'kubernetes.io/legacy-token-last-used';
const invalidSince = 'kubernetes.io/legacy-token-invalid-since';
const tokenType = 'kubernetes.io/service-account-token';
const tokenMark = Buffer.from(`"${tokenType}"`);

/** Marks and deletes generated Secrets with tokens of ServiceAccounts that are no longer used, once a day. */
export function legacyTokenCleaner(context: ControllerContext): RunningController {
  const clean = () =>
    cleanTokens(context).catch((error: unknown) =>
      context.logger.warn('legacy service account tokens could not be cleaned up', { error: String(error) }),
    );
  const timer = setInterval(() => void clean(), dayMs).unref();
  void clean();
  return { stop: () => clearInterval(timer) };
}

export async function cleanTokens(context: ControllerContext): Promise<void> {
  const now = context.now();
  const trackedSince = await firstTrackedDay(context);
  if (trackedSince === undefined || now < trackedSince + unusedMs) return;
  const secrets = registryNamed(context, 'secrets');
  const { entries } = await secrets.cache.list(secrets.cache.prefix);
  const mounted = new MountedSecrets(registryNamed(context, 'pods'));
  for (const entry of entries as readonly CacheEntry[]) {
    if (!entry.value.includes(tokenMark)) continue;
    const secret = decodeObject(entry.value);
    const { namespace = '', name = '' } = secret.metadata;
    if (!isUnused(secret, now) || !(await isGenerated(secret, context)) || (await mounted.has(namespace, name))) continue;
    await expire(secrets, secret, String(entry.revision), now);
  }
}

/** The day after tracking began. */
async function firstTrackedDay(context: ControllerContext): Promise<number | undefined> {
  const configMaps = registryNamed(context, 'configmaps');
  const key = configMaps.key('kube-system', 'kube-apiserver-legacy-service-account-token-tracking');
  const entry = await configMaps.cache.get(key);
  const since = timeOf(entry && mapIn(decodeObject(entry.value), 'data').since);
  return since === undefined ? undefined : since + dayMs;
}

/** A date such as 2026-01-31. */
function timeOf(date: string | undefined): number | undefined {
  const time = date !== undefined && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Secrets without the label have not been used since tracking began. */
function isUnused(secret: KubeObject, now: number): boolean {
  const { creationTimestamp = '', deletionTimestamp, labels = {} } = secret.metadata;
  if (secret.type !== tokenType || deletionTimestamp !== undefined) return false;
  if (Date.parse(creationTimestamp) >= now - unusedMs) return false;
  const used = labels[lastUsed];
  return used === undefined || (timeOf(used) !== undefined && used < dateOf(now - unusedMs));
}

/** Generated tokens are listed in their ServiceAccount; others belong to the user who created them. */
async function isGenerated({ metadata }: KubeObject, context: ControllerContext): Promise<boolean> {
  const { 'kubernetes.io/service-account.name': owner = '', 'kubernetes.io/service-account.uid': uid = '' } =
    metadata.annotations ?? {};
  const accounts = registryNamed(context, 'serviceaccounts');
  const entry = await accounts.cache.get(accounts.key(metadata.namespace ?? '', owner));
  const account = entry && decodeObject(entry.value);
  if (!account || (uid !== '' && uid !== account.metadata.uid)) return false;
  return objectsIn(account, 'secrets').some(({ name }) => name === metadata.name);
}

async function expire(secrets: ObjectRegistry, secret: KubeObject, resourceVersion: string, now: number): Promise<void> {
  const { namespace = '', name = '', uid = '', labels } = secret.metadata;
  const writing = writeAs(secrets, namespace);
  const since = labels?.[invalidSince] ?? '';
  if (timeOf(since) === undefined) {
    const mark = (existing: KubeObject): JsonObject => {
      const marked = { ...existing.metadata.labels, [invalidSince]: dateOf(now) };
      return { ...existing, metadata: { ...existing.metadata, labels: marked } };
    };
    await ignoreNotFound(updateExisting(secrets, name, uid, mark, writing));
  } else if (since < dateOf(now - unusedMs)) {
    await ignoreNotFound(deleteObject(secrets, name, { preconditions: { uid, resourceVersion } }, writing));
  }
}

/** Names of the Secrets that the pods of a namespace use; computed when first asked. */
class MountedSecrets {
  readonly #pods: ObjectRegistry;
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(pods: ObjectRegistry) {
    this.#pods = pods;
  }

  async has(namespace: string, secret: string): Promise<boolean> {
    const names = this.#names.get(namespace) ?? (await this.#load(namespace));
    return names.has(secret);
  }

  async #load(namespace: string): Promise<ReadonlySet<string>> {
    const { entries } = await this.#pods.cache.list(this.#pods.prefix(namespace));
    const names = new Set(entries.flatMap(({ value }) => podSecrets(decodeObject(value))));
    this.#names.set(namespace, names);
    return names;
  }
}
