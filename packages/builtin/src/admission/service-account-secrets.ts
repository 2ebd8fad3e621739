import { type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';

const titles: Readonly<Record<string, string>> = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
};

/** Why a pod uses a secret that its account does not list; undefined if it uses none. */
export function forbiddenSecret(
  spec: JsonObject,
  account: string,
  secrets: ReadonlySet<string>,
  pullSecrets: ReadonlySet<string>,
  fields: readonly string[],
): string | undefined {
  const ends = `is not allowed because service account ${account} does not reference that`;
  if (!fields.includes('ephemeralContainers') || fields.length > 1) {
    const ofPod = forbiddenInPod(spec, ends, secrets, pullSecrets);
    if (ofPod !== undefined) return ofPod;
  }
  for (const field of fields) {
    for (const container of objectsIn(spec, field)) {
      const reason = forbiddenIn(container, `${titles[field]} ${textIn(container, 'name')}`, ends, secrets);
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

function forbiddenInPod(
  spec: JsonObject,
  ends: string,
  secrets: ReadonlySet<string>,
  pullSecrets: ReadonlySet<string>,
): string | undefined {
  for (const volume of objectsIn(spec, 'volumes')) {
    const source = objectIn(volume, 'secret');
    const name = textIn(source, 'secretName');
    if (source && !secrets.has(name)) return `volume with secret.secretName="${name}" ${ends} secret`;
  }
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
