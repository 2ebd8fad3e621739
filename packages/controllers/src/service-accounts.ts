import { decodeObject, follow, nameOfKey, settleRaces, WorkQueue } from '@tsukube/apiserver';
import { objectIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from './controller.ts';

const name = 'default';

/** Creates the ServiceAccount `default` in every namespace. */
export function serviceAccountController(context: ControllerContext): RunningController {
  const namespaces = registryNamed(context, 'namespaces');
  const accounts = registryNamed(context, 'serviceaccounts');

  const ensure = async (namespace: string): Promise<void> => {
    const live = await namespaces.cache.get(namespaces.key('', namespace));
    if (!live || objectIn(decodeObject(live.value), 'status')?.phase !== 'Active') return;
    if (await accounts.cache.get(accounts.key(namespace, name))) return;
    await accounts.create({ kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name } }, writeAs(accounts, namespace));
  };

  const queue = new WorkQueue((namespace) => settleRaces(() => ensure(namespace)), context.logger);
  const stops = [
    follow(namespaces.cache, (entry) => queue.add(nameOfKey(namespaces.resource, entry.key).name)),
    follow(accounts.cache, (entry) => {
      const key = nameOfKey(accounts.resource, entry.key);
      if (key.name === name) queue.add(key.namespace);
    }),
  ];
  return {
    stop() {
      queue.stop();
      for (const stop of stops) stop();
    },
  };
}
