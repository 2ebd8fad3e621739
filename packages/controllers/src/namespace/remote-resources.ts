import { compareVersions } from '@tsukube/apiserver';
import { isObject, type JsonObject, type JsonValue, metadataOf, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import { type ControllerContext, controllerManager, type RequestRemote } from '../controller.ts';

const timeoutMs = 30_000;

/** A kind of namespaced objects of an aggregated API. */
export interface RemoteResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly verbs: readonly string[];
}

/** The deletable resources of a group version. Rejects if its API server does not answer. */
export async function discoverRemote(group: string, version: string, context: ControllerContext): Promise<RemoteResource[]> {
  const list = await send(context, 'GET', `/apis/${group}/${version}`);
  return objectsIn(list, 'resources').flatMap((resource) => {
    const [plural, verbs] = [textIn(resource, 'name'), textsIn(resource, 'verbs')];
    const isDeletable = resource.namespaced === true && !plural.includes('/') && verbs.includes('delete');
    return isDeletable ? [{ group, version, plural, verbs }] : [];
  });
}

/** Each resource once, in the version that discovery prefers. */
export function inPreferredVersion(resources: readonly RemoteResource[]): readonly RemoteResource[] {
  const preferred = new Map<string, RemoteResource>();
  for (const resource of resources) {
    const name = `${resource.plural}.${resource.group}`;
    const known = preferred.get(name);
    if (!known || compareVersions(resource.version, known.version) < 0) preferred.set(name, resource);
  }
  return [...preferred.values()];
}

/** Deletes the objects in a namespace. Resolves with those that remain. */
export async function deleteRemote(
  resource: RemoteResource,
  namespace: string,
  context: ControllerContext,
): Promise<readonly JsonObject[]> {
  const { group, version, plural, verbs } = resource;
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  const listed = async () => (verbs.includes('list') ? objectsIn(await send(context, 'GET', path), 'items') : []);
  if (verbs.includes('deletecollection')) await send(context, 'DELETE', path);
  else
    for (const item of await listed())
      await send(context, 'DELETE', `${path}/${encodeURIComponent(metadataOf(item).name ?? '')}`);
  return listed();
}

const options = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' });

/** An object that does not exist, or a verb that is not supported, is no error. Other errors have the message of the backend. */
async function send(context: ControllerContext, method: 'GET' | 'DELETE', path: string): Promise<JsonObject> {
  const { user } = controllerManager;
  const request = { method, user, accept: 'application/json', timeoutMs, ...(method === 'DELETE' && { body: options }) };
  const { status, body } = await (context.requestRemote as RequestRemote)(path, request);
  const answer = parsed(body);
  if (status === 404 || status === 405) return {};
  if (status < 200 || status > 299) throw new RemoteFailure(textIn(answer, 'message') || `the server responded with ${status}`);
  return answer;
}

/** A message that may be shown. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
}

function parsed(body: Buffer): JsonObject {
  try {
    const value = JSON.parse(body.toString()) as JsonValue;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
