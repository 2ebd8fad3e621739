import { type Logger, type ObjectRegistry, WorkQueue } from '@tsukube/apiserver';
import { isObject } from '@tsukube/machinery';
import { cleanupFinalizer, conditionOf, type Definition } from '../definition/definition.ts';
import { type Definitions, definitionsIn } from '../definition/definitions.ts';
import { definitionOf, readDefinition } from '../definition/read-definition.ts';
import type { CustomResources } from '../serving/custom-resources.ts';
import { finalize } from './finalizer.ts';
import { takenNames } from './names.ts';
import { statusUpdate, updateStatus } from './status.ts';

export interface LifecycleParts {
  readonly definitions: Definitions;
  readonly resources: CustomResources;
  /** Stores the definitions. */
  readonly registry: ObjectRegistry;
  readonly logger: Logger;
  readonly now?: () => number;
}

export interface Lifecycle {
  /** Resolves when every stored definition has been enqueued. */
  readonly started: Promise<void>;
  stop(): void;
}

/** Definitions enqueued per event loop turn at startup. */
const sliceSize = 25;
/** Interval of retries while custom objects have finalizers. */
const recheckMs = 1000;

/** The controller of definitions: accepts names, sets conditions and finalizes deleted definitions. */
export function startLifecycle(parts: LifecycleParts): Lifecycle {
  const { definitions, resources, registry, logger, now = Date.now } = parts;
  // Names are unique per group, so the definitions of a group are processed one at a time.
  const waiting = new Map<string, Set<string>>();
  const groups = new WorkQueue(async (group) => {
    const names = waiting.get(group) ?? new Set();
    waiting.delete(group);
    for (const name of names) await syncStatus(name, group);
  }, logger);
  const removals = new WorkQueue(async (name) => {
    const entry = definitions.named(name);
    if (!entry || !needsFinalizing(definitionOf(entry))) return;
    const isGone = await finalize(definitionOf(entry), registry, () => resources.objectsOf(entry), now);
    if (!isGone) removals.addAfter(name, recheckMs);
  }, logger);

  const syncStatus = async (name: string, group: string): Promise<void> => {
    const entry = definitions.named(name);
    if (!entry) return requeueConflicting(group);
    const definition = definitionOf(entry);
    const taken = () => takenNames(othersOf(definition).map(({ acceptedNames }) => acceptedNames));
    if (!statusUpdate(definition, taken, now())) return;
    await updateStatus(registry, name, (object) => {
      const status = statusUpdate(readDefinition(object, 0), taken, now());
      return status && { ...object, status: { ...(isObject(object.status) ? object.status : {}), ...status } };
    });
    requeueConflicting(group);
  };

  const othersOf = ({ name, group }: Definition) =>
    definitionsIn(definitions).filter((other) => other.group === group && other.name !== name);

  /** Retries the definitions with name conflicts: a name may be free now. */
  const requeueConflicting = (group: string): void => {
    for (const other of definitionsIn(definitions)) {
      if (other.group === group && conditionOf(other, 'NamesAccepted')?.status === 'False') add(other.name, group);
    }
  };

  const add = (name: string, group: string): void => {
    const names = waiting.get(group) ?? new Set();
    waiting.set(group, names.add(name));
    groups.add(group);
  };

  const enqueue = (name: string): void => {
    add(name, name.slice(name.indexOf('.') + 1));
    const entry = definitions.named(name);
    if (entry && needsFinalizing(definitionOf(entry))) removals.add(name);
  };

  let stopped = false;
  const enqueueAll = async (): Promise<void> => {
    await definitions.load();
    const names = definitionNames(definitions);
    for (let i = 0; i < names.length && !stopped; i += sliceSize) {
      for (const name of names.slice(i, i + sliceSize)) enqueue(name);
      await new Promise(setImmediate);
    }
  };
  const unsubscribe = definitions.onChange((change) => (change ? enqueue(change.name) : void enqueueAll().catch(() => {})));
  const started = enqueueAll().catch((error: unknown) => logger.warn('definitions could not be read', { error: String(error) }));
  return {
    started,
    stop() {
      stopped = true;
      unsubscribe();
      groups.stop();
      removals.stop();
    },
  };
}

function definitionNames(definitions: Definitions): readonly string[] {
  return definitions.all().map(({ key }) => key.slice(key.lastIndexOf('/') + 1));
}

function needsFinalizing({ isDeleted, finalizers }: Definition): boolean {
  return isDeleted && finalizers.includes(cleanupFinalizer);
}
