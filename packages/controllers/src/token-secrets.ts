import {
  type CacheEntry,
  decodeObject,
  deleteObject,
  follow,
  nameOfKey,
  settleRaces,
  updateExisting,
  WorkQueue,
} from '@tsukube/apiserver';
import { legacyClaims } from '@tsukube/builtin';
import { type JsonObject, type KubeObject, mapIn, metadataOf, objectsIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from './controller.ts';

const tokenType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** A queue item: a token Secret or a ServiceAccount, with the identities it had at the time of the event. */
interface Task {
  readonly of: 'secret' | 'account';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly account: string;
  readonly accountUid: string;
}

/** Adds tokens to Secrets of type service-account-token, and deletes them with their ServiceAccount. */
export function tokenSecretController(context: ControllerContext): RunningController {
  const accounts = registryNamed(context, 'serviceaccounts');
  const secrets = registryNamed(context, 'secrets');

  const find = async (
    registry: typeof secrets,
    namespace: string,
    name: string,
    uid: string,
  ): Promise<JsonObject | undefined> => {
    const entry = await registry.cache.get(registry.key(namespace, name));
    const object = entry && decodeObject(entry.value);
    return object && (uid === '' || metadataOf(object).uid === uid) ? object : undefined;
  };
  const remove = (namespace: string, name: string, uid: string) =>
    deleteObject(secrets, name, { preconditions: { uid } }, writeAs(secrets, namespace));

  const syncSecret = async (task: Task): Promise<void> => {
    const { namespace, name, uid, account, accountUid } = task;
    const secret = await find(secrets, namespace, name, uid);
    const owner = await find(accounts, namespace, account, accountUid);
    if (!secret && owner) await removeReference(task, owner);
    else if (secret && !owner) await remove(namespace, name, uid);
    else if (secret && owner) await fill(secret, owner);
  };
  const removeReference = async ({ namespace, name, account }: Task, owner: JsonObject): Promise<void> => {
    if (!referencesOf(owner).some((reference) => reference.name === name)) return;
    const without = (existing: KubeObject): JsonObject => {
      const kept = referencesOf(existing).filter((reference) => reference.name !== name);
      const { secrets: _, ...rest } = existing;
      return kept.length === 0 ? rest : { ...rest, secrets: kept };
    };
    await updateExisting(accounts, account, metadataOf(owner).uid, without, writeAs(accounts, namespace));
  };
  const fill = async (secret: JsonObject, owner: JsonObject): Promise<void> => {
    if (!isIncomplete(secret, context)) return;
    const { name = '', namespace = '', uid } = metadataOf(secret);
    const complete = (existing: KubeObject) => filled(existing, owner, context);
    await updateExisting(secrets, name, uid, complete, writeAs(secrets, namespace));
  };
  const syncAccount = async ({ namespace, name, uid }: Task): Promise<void> => {
    if (await find(accounts, namespace, name, uid)) return;
    for (const entry of secrets.cache.slice(secrets.prefix(namespace))) {
      const task = secretTask(entry);
      if (task?.account === name && (task.accountUid === '' || task.accountUid === uid))
        await remove(namespace, task.name, task.uid);
    }
  };

  const sync = (key: string): Promise<void> => {
    const task = JSON.parse(key) as Task;
    return settleRaces(() => (task.of === 'secret' ? syncSecret(task) : syncAccount(task)));
  };
  const queue = new WorkQueue(sync, context.logger);
  const add = (task: Task | undefined) => task && queue.add(JSON.stringify(task));
  const secretTask = (entry: CacheEntry) => taskOfSecret(entry, secrets);
  const stops = [
    follow(secrets.cache, (entry) => add(secretTask(entry))),
    follow(accounts.cache, (entry) => add(taskOfAccount(entry, accounts))),
  ];
  return {
    stop() {
      queue.stop();
      for (const stop of stops) stop();
    },
  };
}

type Registry = ReturnType<typeof registryNamed>;

/** Secrets of other types are skipped without parsing. */
function taskOfSecret(entry: CacheEntry, { resource }: Registry): Task | undefined {
  if (!entry.value.includes(tokenType)) return undefined;
  const object = decodeObject(entry.value);
  const { uid = '', annotations = {} } = object.metadata;
  const { [nameAnnotation]: account = '', [uidAnnotation]: accountUid = '' } = annotations;
  if (object.type !== tokenType || account === '') return undefined;
  return { of: 'secret', ...nameOfKey(resource, entry.key), uid, account, accountUid };
}

function taskOfAccount(entry: CacheEntry, { resource }: Registry): Task {
  const { uid = '' } = decodeObject(entry.value).metadata;
  return { of: 'account', ...nameOfKey(resource, entry.key), uid, account: '', accountUid: '' };
}

function referencesOf(account: JsonObject): readonly JsonObject[] {
  return objectsIn(account, 'secrets');
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Whether the CA, the namespace or the token has to be written. */
function isIncomplete(secret: JsonObject, { ca, tokenSigner }: ControllerContext): boolean {
  const { 'ca.crt': authority, namespace, token } = mapIn(secret, 'data');
  return authority !== encoded(ca) || !namespace || (!token && tokenSigner !== undefined);
}

function filled(secret: JsonObject, owner: JsonObject, { ca, tokenSigner }: ControllerContext): JsonObject {
  const metadata = metadataOf(secret);
  const { name = '', namespace = '' } = metadata;
  const { name: account = '', uid = '' } = metadataOf(owner);
  const data: Record<string, string> = { ...mapIn(secret, 'data'), 'ca.crt': encoded(ca) };
  data.namespace ||= encoded(namespace);
  if (!data.token && tokenSigner) {
    data.token = encoded(tokenSigner.sign(legacyClaims({ namespace, secret: name, account, uid })));
  }
  const annotations = { ...metadata.annotations, [nameAnnotation]: account, [uidAnnotation]: uid };
  return { ...secret, metadata: { ...metadata, annotations }, data };
}
