import {
  type Delegate,
  DispatchPacer,
  type Filter,
  FlowControl,
  type FlowControlFilterOptions,
  type FlowControlMetrics,
  flowControl,
  flowControlPages,
  type IncomingRequest,
  type InFlightMetrics,
  maxInFlight,
  type ObjectRegistry,
  type ObjectStats,
  type Resource,
  readLevel,
  readSchema,
  SeatReleaser,
  type ServerMetrics,
  SlowUploads,
  WatchTracker,
  workEstimator,
} from '@tsukube/apiserver';
import { flowControlDefaults } from '@tsukube/builtin';
import { type ControllerContext, flowConfiguration, followFlowConfiguration, type RunningController } from '@tsukube/controllers';
import type { CustomApi } from '@tsukube/crds';
import { perProcess, type ServeOptions } from './config/index.ts';

export interface FlowControlParts {
  readonly options: ServeOptions;
  readonly resources: readonly Resource[];
  readonly registryOf: (resource: Resource) => ObjectRegistry;
  readonly custom: CustomApi | undefined;
  readonly metrics: ServerMetrics;
  readonly onRefused: (request: IncomingRequest) => void;
}

/** The concurrency limits of requests. */
export interface RequestLimits {
  readonly filter: Filter;
  readonly pages: readonly Delegate[];
  /** Resolves when the configuration is applied. `maintains` is false if another process of the server maintains its objects. */
  begin(context: ControllerContext, maintains: boolean): Promise<RunningController>;
}

/** API Priority and Fairness, or the two in-flight limits without it. */
export function requestLimits(parts: FlowControlParts): RequestLimits {
  return parts.options.enablePriorityAndFairness && isConfigurable(parts) ? priorityAndFairness(parts) : plainLimits(parts);
}

/** The kinds may be disabled by --runtime-config. */
function isConfigurable({ resources }: FlowControlParts): boolean {
  return ['flowschemas', 'prioritylevelconfigurations'].every((name) => resources.some(({ names }) => names.plural === name));
}

function plainLimits(parts: FlowControlParts): RequestLimits {
  const { options, metrics, onRefused } = parts;
  const filter = maxInFlight({
    maxReadOnly: perProcess(options, options.maxRequestsInflight),
    maxMutating: perProcess(options, options.maxMutatingRequestsInflight),
    requestTimeoutMs: options.requestTimeout,
    metrics: metrics.inFlight,
    onRefused,
  });
  // Other replicas, or a later start with other flags, may use the objects.
  const keepObjects = (context: ControllerContext) => flowConfiguration(context, { ...flowControlDefaults, configure: () => {} });
  const begin = async (context: ControllerContext, maintains: boolean) =>
    maintains && isConfigurable(parts) ? keepObjects(context) : { stop() {} };
  return { filter, pages: [], begin };
}

function priorityAndFairness(parts: FlowControlParts): RequestLimits {
  const { options, metrics, onRefused } = parts;
  const { mandatory, suggested } = flowControlDefaults;
  const measured = metrics.flowControl();
  const control = new FlowControl({
    serverLimit: perProcess(options, options.maxRequestsInflight + options.maxMutatingRequestsInflight),
    mandatory: {
      levels: mandatory.levels.flatMap((level) => readLevel(level) ?? []),
      schemas: mandatory.schemas.map(readSchema),
    },
    metrics: measured,
  });
  const watches = new WatchTracker();
  const filter = flowControl({
    control,
    estimate: workEstimator({ statsOf: statistics(parts), watches }),
    watches,
    releaser: new SeatReleaser(),
    pacer: new DispatchPacer(),
    slowUploads: new SlowUploads(options.requestTimeout),
    requestTimeoutMs: options.requestTimeout,
    load: loadGauges(metrics.inFlight, measured),
    onRefused,
  });
  const configure = control.configure.bind(control);
  return {
    filter,
    pages: [flowControlPages(control)],
    async begin(context, maintains) {
      const follow = maintains ? flowConfiguration : followFlowConfiguration;
      const configuration = await follow(context, { mandatory, suggested, configure });
      return {
        stop() {
          configuration.stop();
          control.close();
        },
      };
    },
  };
}

/** Updates both the peak of the last second and the utilization histogram. */
function loadGauges(peaks: InFlightMetrics, measured: FlowControlMetrics): FlowControlFilterOptions['load'] {
  const gauge = (phase: 'executing' | 'waiting', kind: 'readOnly' | 'mutating') => {
    const [peak, share] = [peaks[kind][phase], measured.load(phase, kind)];
    const add = (difference: number) => {
      peak.add(difference);
      share.add(difference, performance.now() / 1000);
    };
    return { add };
  };
  const gauges = (kind: 'readOnly' | 'mutating') => ({ executing: gauge('executing', kind), waiting: gauge('waiting', kind) });
  return { readOnly: gauges('readOnly'), mutating: gauges('mutating') };
}

/** Number and average size of the objects in the watch caches. */
function statistics({
  resources,
  registryOf,
  custom,
}: FlowControlParts): (group: string, resource: string) => ObjectStats | undefined {
  const caches = new Map(
    resources.map((resource) => [`${resource.hub.group}/${resource.names.plural}`, registryOf(resource).cache]),
  );
  const customCache = (group: string, plural: string) => {
    for (const resource of custom?.stored() ?? [])
      if (resource.names.plural === plural && resource.hub.group === group) return custom?.registryOf(resource)?.cache;
    return undefined;
  };
  return (group, resource) => {
    const cache = caches.get(`${group}/${resource}`) ?? customCache(group, resource);
    return cache && { count: cache.size, averageBytes: cache.size === 0 ? 0 : cache.bytes / cache.size };
  };
}
