import { type AdmissionAttributes, type AdmissionPlugin, forbiddenByAdmission, type ObjectCache } from '@tsukube/apiserver';
import { ensureObject, generateName, type JsonObject, mapIn, metadataOf, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { decodedObjects } from '../common/cached-objects.ts';
import { isPodRequest, unknownError } from '../common/plugin.ts';
import { namesSecret } from './pod-references.ts';

const mirror = 'kubernetes.io/config.mirror';
const enforceSecrets = 'kubernetes.io/enforce-mountable-secrets';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';
/** Slightly over an hour: a client that rereads the token hourly never uses an expired one. */
const tokenSeconds = 3_607;
const fileMode = 0o644;

/** A controller creates the default account shortly after the namespace. */
const attempts = 10;
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 100 + Math.random() * 100));

/** ServiceAccount: sets the account of pods and mounts its token. `accounts` is undefined if ServiceAccounts are not served. */
export function serviceAccountAdmission(accounts: ObjectCache | undefined, wait: () => Promise<void> = pause): AdmissionPlugin {
  const lookup = { accounts, decoded: decodedObjects(), wait };
  return {
    name: 'ServiceAccount',
    mutate(attributes) {
      if (attributes.operation !== 'CREATE' || !attributes.object || !isPodRequest(attributes)) return;
      const spec = ensureObject(attributes.object, 'spec');
      return isMirror(attributes.object) ? checkMirror(attributes, spec) : complete(attributes, spec, lookup);
    },
    validate(attributes) {
      const { operation, object } = attributes;
      if (!object) return;
      const adds = operation === 'UPDATE' && isPodRequest(attributes, 'ephemeralcontainers');
      if (!adds && !(operation === 'CREATE' && isPodRequest(attributes))) return;
      const spec = ensureObject(object, 'spec');
      return !adds && isMirror(object) ? checkMirror(attributes, spec) : check(attributes, spec, adds, lookup);
    },
  };
}

function complete(attributes: AdmissionAttributes, spec: JsonObject, lookup: AccountLookup): void | Promise<void> {
  const name = textIn(spec, 'serviceAccountName') || 'default';
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  return withAccount(attributes, spec, lookup, (account) => {
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
    if (objectsIn(spec, 'imagePullSecrets').length === 0) shareImagePullSecrets(spec, account);
    checkSecrets(attributes, spec, account, false);
  });
}

function check(
  attributes: AdmissionAttributes,
  spec: JsonObject,
  onlyAdded: boolean,
  lookup: AccountLookup,
): void | Promise<void> {
  if (textIn(spec, 'serviceAccountName') === '')
    throw forbiddenByAdmission(attributes, `no service account specified for pod ${attributes.namespace}/${attributes.name}`);
  return withAccount(attributes, spec, lookup, (account) => checkSecrets(attributes, spec, account, onlyAdded));
}

function isMirror(pod: JsonObject): boolean {
  return Object.hasOwn(metadataOf(pod).annotations ?? {}, mirror);
}

interface AccountLookup {
  readonly accounts: ObjectCache | undefined;
  readonly decoded: ReturnType<typeof decodedObjects>;
  readonly wait: () => Promise<void>;
}

/** Synchronous if the account is in a fresh cache. Throws or rejects with 403 if there is none. */
function withAccount(
  attributes: AdmissionAttributes,
  spec: JsonObject,
  lookup: AccountLookup,
  act: (account: JsonObject) => void,
): void | Promise<void> {
  const name = textIn(spec, 'serviceAccountName');
  const key = `${lookup.accounts?.prefix}${attributes.namespace}/${name}`;
  const found = lookup.accounts?.lookup(key);
  if (found && !(found instanceof Promise)) return act(lookup.decoded(found));
  return awaitAccount(attributes, name, key, lookup).then(act);
}

async function awaitAccount(
  attributes: AdmissionAttributes,
  name: string,
  key: string,
  { accounts, decoded, wait }: AccountLookup,
): Promise<JsonObject> {
  const { namespace } = attributes;
  const tries = accounts && name === 'default' ? attempts : 1;
  for (let i = 0; i < tries; i++) {
    if (i > 0) await wait();
    const entry = await accounts?.get(key);
    if (entry) return decoded(entry);
  }
  const reason = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
  throw forbiddenByAdmission(attributes, reason);
}

/** Adds the projected volume kube-api-access with token, CA certificate and namespace. */
function mountToken(spec: JsonObject): void {
  const volumes = objectsIn(spec, 'volumes');
  const known = volumes.find((volume) => textIn(volume, 'name').startsWith(volumePrefix));
  const name = known ? textIn(known, 'name') : generateName(volumePrefix);
  let mounted = false;
  for (const field of ['initContainers', 'containers']) {
    for (const container of objectsIn(spec, field)) {
      const mounts = objectsIn(container, 'volumeMounts');
      if (mounts.some((mount) => mount.mountPath === mountPath)) continue;
      container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
      mounted = true;
    }
  }
  if (!known && mounted) spec.volumes = [...volumes, { name, projected: tokenVolume() }];
}

function tokenVolume(): JsonObject {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
    ],
    defaultMode: fileMode,
  };
}

function shareImagePullSecrets(spec: JsonObject, account: JsonObject): void {
  const secrets = objectsIn(account, 'imagePullSecrets').map((secret) => ({ name: textIn(secret, 'name') }));
  if (secrets.length > 0) spec.imagePullSecrets = secrets;
}

function checkMirror(attributes: AdmissionAttributes, spec: JsonObject): void {
  if (textIn(spec, 'serviceAccountName') !== '' || textIn(spec, 'serviceAccount') !== '')
    throw forbiddenByAdmission(attributes, 'a mirror pod may not reference service accounts');
  if (namesSecret(spec)) throw forbiddenByAdmission(attributes, 'a mirror pod may not reference secrets');
  const usesToken = objectsIn(spec, 'volumes').some((volume) =>
    objectsIn(objectIn(volume, 'projected'), 'sources').some((source) => source.serviceAccountToken !== undefined),
  );
  if (usesToken) throw forbiddenByAdmission(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}

function checkSecrets(attributes: AdmissionAttributes, spec: JsonObject, account: JsonObject, onlyAdded: boolean): void {
  const metadata = metadataOf(account);
  if (!/^(?:1|t|T|true|TRUE|True)$/.test(mapIn(metadata, 'annotations')[enforceSecrets] ?? '')) return;
  const named = (list: string) => new Set(objectsIn(account, list).map((reference) => textIn(reference, 'name')));
  const fields = onlyAdded ? (['ephemeralContainers'] as const) : (['initContainers', 'containers'] as const);
  const reason = forbiddenSecret(spec, textIn(metadata, 'name'), named('secrets'), named('imagePullSecrets'), fields);
  if (reason === undefined) return;
  throw onlyAdded ? unknownError(reason) : forbiddenByAdmission(attributes, reason);
}

const titles: Readonly<Record<string, string>> = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
};

/** The error for a pod that uses a Secret its ServiceAccount does not list; undefined if there is none. */
export function forbiddenSecret(
  spec: JsonObject,
  account: string,
  secrets: ReadonlySet<string>,
  pullSecrets: ReadonlySet<string>,
  fields: readonly string[],
): string | undefined {
  const ends = `is not allowed because service account ${account} does not reference that`;
  const isWhole = !fields.includes('ephemeralContainers');
  const volume = isWhole ? forbiddenVolume(spec, ends, secrets) : undefined;
  if (volume !== undefined) return volume;
  for (const field of fields) {
    for (const container of objectsIn(spec, field)) {
      const reason = forbiddenIn(container, `${titles[field]} ${textIn(container, 'name')}`, ends, secrets);
      if (reason !== undefined) return reason;
    }
  }
  return isWhole ? forbiddenPullSecret(spec, ends, pullSecrets) : undefined;
}

function forbiddenVolume(spec: JsonObject, ends: string, secrets: ReadonlySet<string>): string | undefined {
  for (const volume of objectsIn(spec, 'volumes')) {
    const source = objectIn(volume, 'secret');
    const name = textIn(source, 'secretName');
    if (source && !secrets.has(name)) return `volume with secret.secretName="${name}" ${ends} secret`;
  }
  return undefined;
}

function forbiddenPullSecret(spec: JsonObject, ends: string, pullSecrets: ReadonlySet<string>): string | undefined {
  for (const [i, reference] of objectsIn(spec, 'imagePullSecrets').entries()) {
    const name = textIn(reference, 'name');
    if (!pullSecrets.has(name)) return `imagePullSecrets[${i}].name="${name}" ${ends} imagePullSecret`;
  }
  return undefined;
}

function forbiddenIn(container: JsonObject, title: string, ends: string, secrets: ReadonlySet<string>): string | undefined {
  for (const variable of objectsIn(container, 'env')) {
    const reference = objectIn(objectIn(variable, 'valueFrom'), 'secretKeyRef');
    const name = textIn(reference, 'name');
    if (reference && !secrets.has(name))
      return `${title} with envVar ${textIn(variable, 'name')} referencing secret.secretName="${name}" ${ends} secret`;
  }
  for (const from of objectsIn(container, 'envFrom')) {
    const reference = objectIn(from, 'secretRef');
    const name = textIn(reference, 'name');
    if (reference && !secrets.has(name)) return `${title} with envFrom referencing secret.secretName="${name}" ${ends} secret`;
  }
  return undefined;
}
