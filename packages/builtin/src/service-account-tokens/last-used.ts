import { asServer, type Logger, type ObjectRegistry } from '@tsukube/apiserver';
import { type JsonObject, mapIn, textIn } from '@tsukube/machinery';
import type { FoundObject } from './token-objects.ts';

const label = 'kubernetes.io/legacy-token-last-used';
const dayMs = 86_400_000;

/** Writes on a secret the day on which its token was last used, once a day. */
export function lastUsedTracker(
  secrets: () => ObjectRegistry | undefined,
  now: () => number,
  logger: Logger,
): (secret: FoundObject) => void {
  const writing = new Set<string>();
  return (secret) => {
    const known = mapIn(secret.object.metadata as JsonObject, 'labels')[label];
    const today = dayOf(now());
    if (known === today || (known !== undefined && known === dayOf(now() + dayMs))) return;
    const registry = secrets();
    const { key } = secret.entry;
    if (!registry || writing.has(key)) return;
    writing.add(key);
    mark(registry, secret, today)
      .catch((error: unknown) => logger.warn('the day of use could not be written on a secret', { key, error: String(error) }))
      .finally(() => writing.delete(key));
  };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

async function mark(secrets: ObjectRegistry, { object, uid }: FoundObject, today: string): Promise<void> {
  const metadata = object.metadata as JsonObject;
  const labelled = (existing: JsonObject | undefined): JsonObject => {
    const kept = (existing as JsonObject).metadata as JsonObject;
    return { ...existing, metadata: { ...kept, labels: { ...mapIn(kept, 'labels'), [label]: today } } };
  };
  const context = asServer(secrets, textIn(metadata, 'namespace'));
  await secrets.update(textIn(metadata, 'name'), uid, labelled, context);
}
