import { decodeObject, follow, nameOfKey, settleRaces, WorkQueue } from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed } from '../controller.ts';

export const resource = 'certificatesigningrequests';

/** Calls `handle` with every CertificateSigningRequest that has no certificate yet, after each change. */
export function requestController(context: ControllerContext, handle: (request: KubeObject) => Promise<void>): RunningController {
  const requests = registryNamed(context, resource);
  const reconcile = async (name: string): Promise<void> => {
    const entry = await requests.cache.get(requests.key('', name));
    const request = entry && decodeObject(entry.value);
    if (request && certificateIn(request) === '') await handle(request);
  };
  const queue = new WorkQueue((name) => settleRaces(() => reconcile(name)), context.logger);
  const stop = follow(requests.cache, (entry) => queue.add(nameOfKey(requests.resource, entry.key).name));
  return {
    stop() {
      queue.stop();
      stop();
    },
  };
}

/** The issued certificate in base64; empty if there is none. */
export function certificateIn(request: JsonObject): string {
  return textIn(objectIn(request, 'status'), 'certificate');
}

export function conditionsIn(request: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(request, 'status'), 'conditions');
}

export function hasCondition(request: JsonObject, type: string): boolean {
  return conditionsIn(request).some((condition) => condition.type === type && condition.status === 'True');
}

/** The PKCS#10 request in PEM. */
export function requestIn(request: JsonObject): string {
  return Buffer.from(textIn(objectIn(request, 'spec'), 'request'), 'base64').toString('latin1');
}

export function withSigningCondition(request: JsonObject, condition: JsonObject): JsonObject {
  return { ...request, status: { ...objectIn(request, 'status'), conditions: [...conditionsIn(request), condition] } };
}
