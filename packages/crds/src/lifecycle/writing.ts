import { asServer, type ObjectRegistry, settleRaces } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';

/** Updates the status with `change`, which returns undefined to leave it. Does nothing if the object is gone. */
export async function updateStatus(
  registry: ObjectRegistry,
  name: string,
  change: (object: JsonObject) => JsonObject | undefined,
): Promise<void> {
  const context = asServer(registry, '', 'status');
  const transform = (existing: JsonObject | undefined) => change(existing as JsonObject) ?? (existing as JsonObject);
  await settleRaces(() => registry.update(name, undefined, transform, context));
}
