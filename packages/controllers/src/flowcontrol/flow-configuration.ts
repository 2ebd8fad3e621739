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
import type { JsonObject } from '@tsukube/machinery';
import { type Controller, type ControllerContext, registryNamed } from '../controller.ts';
import { danglingConditions } from './dangling.ts';
import { type DefaultObjects, ensureDefaults } from './ensure-defaults.ts';

export interface FlowConfigurationOptions {
  /** Kept whatever anybody makes of them. */
  readonly mandatory: FlowObjects;
  /** Kept while nobody has taken them over. */
  readonly suggested: FlowObjects;
  /** Takes up what is configured now. */
  readonly configure: (levels: readonly LevelConfig[], schemas: readonly SchemaConfig[]) => void;
}

interface FlowObjects {
  readonly levels: DefaultObjects;
  readonly schemas: DefaultObjects;
}

const maintenanceMs = 60_000;
/** Conditions are written at once, except while the server starts: then they wait until it is ready. */
const startDelayMs = 100;

/**
 * Creates what flow control is configured with from the start, and keeps it; hands every change to those who act on it;
 * and says of each schema whether its level exists. Resolves when the configuration is in force.
 */
export async function flowConfiguration(context: ControllerContext, options: FlowConfigurationOptions): Promise<Controller> {
  const levels = registryNamed(context, 'prioritylevelconfigurations');
  const schemas = registryNamed(context, 'flowschemas');
  const { mandatory, suggested, configure } = options;

  const ensure = () =>
    Promise.all([
      ensureDefaults(levels, mandatory.levels, suggested.levels),
      ensureDefaults(schemas, mandatory.schemas, suggested.schemas),
    ]);
  const takeUp = () =>
    configure(
      objectsIn(levels).flatMap((object) => readLevel(object) ?? []),
      objectsIn(schemas).map((object) => readSchema(object)),
    );
  const conditions = new WorkQueue(danglingConditions(schemas, levels, context.now), context.logger);

  await ensure();
  takeUp();
  let starting = true;
  const started = setTimeout(() => {
    starting = false;
  }, startDelayMs).unref();
  const describe = ({ key }: CacheEntry) => {
    const { name } = nameOfKey(schemas.resource, key);
    if (starting) conditions.addAfter(name, startDelayMs);
    else conditions.add(name);
  };
  const soon = coalesced(takeUp);
  const describeAll = coalesced(() => schemas.cache.slice(schemas.cache.prefix).forEach(describe));
  const onLevel = () => {
    soon.call();
    describeAll.call();
  };
  const onSchema = (entry: CacheEntry) => {
    soon.call();
    describe(entry);
  };
  const stops = [follow(levels.cache, onLevel), follow(schemas.cache, onSchema)];
  const maintenance = setInterval(() => {
    ensure().catch((error) => context.logger.warn('flow control could not be maintained', { error: String(error) }));
  }, maintenanceMs).unref();
  return {
    stop() {
      clearInterval(maintenance);
      clearTimeout(started);
      soon.stop();
      describeAll.stop();
      conditions.stop();
      for (const stop of stops) stop();
    },
  };
}

/** What cannot be read has no effect, as if it did not exist. */
function objectsIn({ cache }: ObjectRegistry): JsonObject[] {
  return cache.slice(cache.prefix).flatMap((entry) => (entry.corrupt ? [] : [decodeObject(entry.value)]));
}

/** Many calls of one moment are one. */
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
