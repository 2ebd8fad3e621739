import {
  type CacheEntry,
  decodeObject,
  follow,
  type LevelConfig,
  nameOfKey,
  type ObjectRegistry,
  readLevel,
  readSchema,
  type SchemaConfig,
  WorkQueue,
} from '@tsukube/apiserver';
import { formatTime, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { type ControllerContext, ignoreNotFound, type RunningController, registryNamed, writeAs } from './controller.ts';
import { type DefaultObjects, ensureDefaults } from './flow-defaults.ts';

export interface FlowConfigurationOptions {
  /** Always restored. */
  readonly mandatory: FlowObjects;
  /** Restored unless an administrator has changed them. */
  readonly suggested: FlowObjects;
  /** Applies the current configuration. */
  readonly configure: (levels: readonly LevelConfig[], schemas: readonly SchemaConfig[]) => void;
}

interface FlowObjects {
  readonly levels: DefaultObjects;
  readonly schemas: DefaultObjects;
}

const maintenanceMs = 60_000;
/** Delays the writes of conditions during startup. */
const startDelayMs = 100;

/**
 * The controller of API Priority and Fairness: maintains the default objects, passes every change to `configure`, and sets
 * the condition Dangling of FlowSchemas. Resolves when the configuration has been applied.
 */
export async function flowConfiguration(
  context: ControllerContext,
  options: FlowConfigurationOptions,
): Promise<RunningController> {
  const levels = registryNamed(context, 'prioritylevelconfigurations');
  const schemas = registryNamed(context, 'flowschemas');
  const { mandatory, suggested } = options;

  const ensure = () =>
    Promise.all([
      ensureDefaults(levels, mandatory.levels, suggested.levels),
      ensureDefaults(schemas, mandatory.schemas, suggested.schemas),
    ]);
  const conditions = new WorkQueue(danglingConditions(schemas, levels, context.now), context.logger);

  await ensure();
  const following = await followFlowConfiguration(context, options);
  let starting = true;
  const started = setTimeout(() => {
    starting = false;
  }, startDelayMs).unref();
  const describe = ({ key }: CacheEntry) => {
    const { name } = nameOfKey(schemas.resource, key);
    if (starting) conditions.addAfter(name, startDelayMs);
    else conditions.add(name);
  };
  const describeAll = coalesced(() => schemas.cache.slice(schemas.cache.prefix).forEach(describe));
  const stops = [follow(levels.cache, () => describeAll.call()), follow(schemas.cache, describe)];
  const maintenance = setInterval(() => {
    ensure().catch((error) => context.logger.warn('flow control could not be maintained', { error: String(error) }));
  }, maintenanceMs).unref();
  return {
    stop() {
      clearInterval(maintenance);
      clearTimeout(started);
      void following.stop();
      describeAll.stop();
      conditions.stop();
      for (const stop of stops) stop();
    },
  };
}

/** Passes the stored configuration and every change of it to `configure`. Writes nothing. */
export async function followFlowConfiguration(
  context: ControllerContext,
  { configure }: FlowConfigurationOptions,
): Promise<RunningController> {
  const levels = registryNamed(context, 'prioritylevelconfigurations');
  const schemas = registryNamed(context, 'flowschemas');
  await Promise.all([levels.cache.loaded(), schemas.cache.loaded()]);
  const applyConfiguration = () =>
    configure(
      readableObjects(levels).flatMap((object) => readLevel(object) ?? []),
      readableObjects(schemas).map((object) => readSchema(object)),
    );
  applyConfiguration();
  const configureSoon = coalesced(applyConfiguration);
  const stops = [follow(levels.cache, () => configureSoon.call()), follow(schemas.cache, () => configureSoon.call())];
  return {
    stop() {
      configureSoon.stop();
      for (const stop of stops) stop();
    },
  };
}

/** Corrupt objects are ignored. */
function readableObjects({ cache }: ObjectRegistry): JsonObject[] {
  return cache.slice(cache.prefix).flatMap((entry) => (entry.corrupt ? [] : [decodeObject(entry.value)]));
}

/** Runs `action` once per event loop turn, however often it is called. */
function coalesced(action: () => void): { call(): void; stop(): void } {
  let timer: NodeJS.Immediate | undefined;
  let stopped = false;
  return {
    call() {
      if (stopped || timer) return;
      timer = setImmediate(() => {
        timer = undefined;
        action();
      });
    },
    stop() {
      stopped = true;
      clearImmediate(timer);
    },
  };
}

const manager = 'api-priority-and-fairness-config-consumer-v1';

/** Sets the condition Dangling: whether the PriorityLevelConfiguration of a FlowSchema exists. */
function danglingConditions(schemas: ObjectRegistry, levels: ObjectRegistry, now: () => number): (name: string) => Promise<void> {
  return async function describe(name) {
    const entry = schemas.cache.peek(schemas.key('', name));
    if (!entry || entry.corrupt) return;
    const condition = conditionOf(decodeObject(entry.value), levels, now());
    if (!condition) return;
    const { apiVersion, kind } = decodeObject(entry.value);
    const configuration = { apiVersion, kind, metadata: { name }, status: { conditions: [condition] } };
    const context = { ...writeAs(schemas, '', 'status'), fieldManager: manager };
    await ignoreNotFound(schemas.apply(name, { configuration, force: true, complete: (merged) => merged }, context));
  };
}

/** The new condition, or undefined if it is up to date. */
function conditionOf(schema: JsonObject, levels: ObjectRegistry, now: number): JsonObject | undefined {
  const level = textIn(objectIn(objectIn(schema, 'spec'), 'priorityLevelConfiguration'), 'name');
  const exists = levels.cache.peek(levels.key('', level)) !== undefined;
  const references = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const next = {
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: exists ? `${references} and it exists` : `${references} but there is no such object`,
  };
  const current = currentCondition(schema);
  if (current?.status === next.status && current.reason === next.reason && current.message === next.message) return undefined;
  return { type: 'Dangling', ...next, lastTransitionTime: formatTime(now) };
}

function currentCondition(schema: JsonObject): JsonObject | undefined {
  return objectsIn(objectIn(schema, 'status'), 'conditions').find(({ type }) => type === 'Dangling');
}
