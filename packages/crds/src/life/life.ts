import { type Logger, type ObjectRegistry, WorkQueue } from '@tsukube/apiserver';
import { isObject } from '@tsukube/machinery';
import { conditionOf, type Definition } from '../definition/definition.ts';
import { type Definitions, definitionsIn } from '../definition/definitions.ts';
import { definitionOf, readDefinition } from '../definition/read-definition.ts';
import type { CustomResources } from '../serving/custom-resources.ts';
import { cleanupFinalizer, finalize } from './finalizing.ts';
import { takenNames } from './names.ts';
import { wantedStatus } from './status.ts';
import { updateStatus } from './writing.ts';

export interface LifeParts {
  readonly definitions: Definitions;
  readonly resources: CustomResources;
  /** The definitions as objects, to write to. */
  readonly registry: ObjectRegistry;
  readonly logger: Logger;
  readonly now?: () => number;
}

export interface Life {
  /** Resolves when every definition has been looked at. */
  readonly begun: Promise<void>;
  stop(): void;
}

/** Definitions that are looked at in one turn of the loop when the server starts. */
const sliceSize = 25;
/** Objects that are held by finalizers are looked at again after this time. */
const recheckMs = 1000;

/** Accepts the names of definitions, establishes them, and removes them with their objects. */
export function startLife(parts: LifeParts): Life {
  const { definitions, resources, registry, logger, now = Date.now } = parts;
  // Names are given within a group, to one after the other.
  const waiting = new Map<string, Set<string>>();
  const groups = new WorkQueue(async (group) => {
    const names = waiting.get(group) ?? new Set();
    waiting.delete(group);
    for (const name of names) await settle(name, group);
  }, logger);
  const removals = new WorkQueue(async (name) => {
    const entry = definitions.named(name);
    if (!entry || !isToBeFinalized(definitionOf(entry))) return;
    const isGone = await finalize(definitionOf(entry), registry, () => resources.objectsOf(entry), now);
    if (!isGone) removals.addAfter(name, recheckMs);
  }, logger);

  const settle = async (name: string, group: string): Promise<void> => {
    const entry = definitions.named(name);
    if (!entry) return wakeConflicting(group);
    const definition = definitionOf(entry);
    const taken = () => takenNames(othersOf(definition).map(({ acceptedNames }) => acceptedNames));
    if (!wantedStatus(definition, taken, now())) return;
    await updateStatus(registry, name, (object) => {
      const status = wantedStatus(readDefinition(object, 0), taken, now());
      return status && { ...object, status: { ...(isObject(object.status) ? object.status : {}), ...status } };
    });
    wakeConflicting(group);
  };

  const othersOf = ({ name, group }: Definition) =>
    definitionsIn(definitions).filter((other) => other.group === group && other.name !== name);

  /** A name may have become free. */
  const wakeConflicting = (group: string): void => {
    for (const other of definitionsIn(definitions)) {
      if (other.group === group && conditionOf(other, 'NamesAccepted')?.status === 'False') add(other.name, group);
    }
  };

  const add = (name: string, group: string): void => {
    const names = waiting.get(group) ?? new Set();
    waiting.set(group, names.add(name));
    groups.add(group);
  };

  const look = (name: string): void => {
    add(name, name.slice(name.indexOf('.') + 1));
    const entry = definitions.named(name);
    if (entry && isToBeFinalized(definitionOf(entry))) removals.add(name);
  };

  let stopped = false;
  const lookAtAll = async (): Promise<void> => {
    await definitions.load();
    const names = definitionNames(definitions);
    for (let i = 0; i < names.length && !stopped; i += sliceSize) {
      for (const name of names.slice(i, i + sliceSize)) look(name);
      await new Promise(setImmediate);
    }
  };
  const forget = definitions.onChange((change) => (change ? look(change.name) : void lookAtAll().catch(() => {})));
  const begun = lookAtAll().catch((error: unknown) => logger.warn('definitions could not be read', { error: String(error) }));
  return {
    begun,
    stop() {
      stopped = true;
      forget();
      groups.stop();
      removals.stop();
    },
  };
}

function definitionNames(definitions: Definitions): readonly string[] {
  return definitions.all().map(({ key }) => key.slice(key.lastIndexOf('/') + 1));
}

function isToBeFinalized({ isDeleted, finalizers }: Definition): boolean {
  return isDeleted && finalizers.includes(cleanupFinalizer);
}
