import { deepCopy, type Effort, type GroupVersionKind, type JsonObject, type KubeObject, memoize } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';
import type { Resource, Schema, ServedVersion } from './resource.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write, as admission plugins see it. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  /** The version of the request. */
  readonly version: ServedVersion;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a create whose name is not generated yet. */
  readonly name: string;
  /** Absent for a delete. In the hub version, or of the kind `body`. */
  readonly object: KubeObject | undefined;
  /** Absent for a create. Never changed. */
  readonly oldObject: KubeObject | undefined;
  /** The kind of the objects, if it is not that of the resource: Scale, Eviction, Binding, PodExecOptions. */
  readonly body?: AdmissionBody | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions of meta.k8s.io/v1; undefined for a connect. */
  readonly options: () => JsonObject | undefined;
  /** Adds a Warning header to the response. */
  readonly warn: (text: string) => void;
  /**
   * Adds an annotation to the audit event, unless its level is below `level`, which is Metadata if absent. A key is a domain, a slash
   * and a name; others are dropped. The first value of a key is kept.
   */
  readonly annotate: Annotate;
  /** Aborted when the client is gone or the deadline of the request has passed. */
  readonly signal: () => AbortSignal;
  readonly reinvocation: Reinvocation;
  /** Limits the work of the request on the event loop; unlimited if absent. */
  readonly effort?: Effort | undefined;
}

export type Annotate = (key: string, value: string, level?: 'Metadata' | 'Request') => void;

export interface AdmissionBody extends GroupVersionKind {
  readonly schema: Schema;
}

/** A plugin may request that mutating admission runs once more, after plugins behind it have changed the object. */
export interface Reinvocation {
  /** Set during the second run. */
  isReinvocation: boolean;
  isRequested: boolean;
  /** State of plugins between the runs, by the plugin's name. */
  readonly state: Map<string, unknown>;
}

/** Changes a write, or rejects it by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether the plugin may act on requests for a resource; all resources if absent. Called once for each resource. */
  readonly handles?: (resource: Resource) => boolean;
  /** May change `object`. Runs before validation. */
  readonly mutate?: (attributes: AdmissionAttributes) => void | Promise<void>;
  /** Runs on the object that will be stored. Must not change it. */
  readonly validate?: (attributes: AdmissionAttributes) => void | Promise<void>;
}

export interface Admission {
  mutate(attributes: AdmissionAttributes): void | Promise<void>;
  validate(attributes: AdmissionAttributes): void | Promise<void>;
}

/** Records the duration of admission in milliseconds, and whether it was rejected. */
export type AdmissionRecorder = (operation: AdmissionOperation, milliseconds: number, rejected: boolean) => void;

/** A metric that plugins define. Defining it again returns the same one. */
export interface PluginMetric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Adds a value to the series with these labels. */
export type MetricRecorder = (labels: Readonly<Record<string, string>>, value: number) => void;

export interface PluginMetrics {
  counter(metric: PluginMetric): MetricRecorder;
  histogram(metric: PluginMetric & { readonly bounds: readonly number[] }): MetricRecorder;
}

export interface AdmissionObserver extends PluginMetrics {
  plugin(name: string, type: AdmissionType): AdmissionRecorder;
  step(type: AdmissionType): AdmissionRecorder;
}

/** The phases, as metrics name them. */
export type AdmissionType = 'admit' | 'validate';

interface Stage {
  readonly handles: AdmissionPlugin['handles'];
  readonly act: NonNullable<AdmissionPlugin['mutate']>;
  readonly record: AdmissionRecorder;
}

/** One phase of the chain, for the requests of one resource. */
interface Step {
  readonly type: AdmissionType;
  readonly stages: readonly Stage[];
  readonly record: AdmissionRecorder;
}

/** Runs plugins in order; synchronously as long as plugins are. Mutating plugins run once more if one of them requests it. */
export function admissionChain(plugins: readonly AdmissionPlugin[], observer: AdmissionObserver = unobserved): Admission {
  return { mutate: phaseOf(plugins, 'mutate', observer), validate: phaseOf(plugins, 'validate', observer) };
}

/** A plugin that cannot change the old object, nor the object while it validates: it gets copies. */
export function isolated({ name, handles, mutate, validate }: AdmissionPlugin): AdmissionPlugin {
  return {
    name,
    ...(handles && { handles }),
    ...(mutate && { mutate: (attributes) => mutate({ ...attributes, oldObject: copyOf(attributes.oldObject) }) }),
    ...(validate && {
      validate: ({ object, oldObject, ...rest }) => validate({ ...rest, object: copyOf(object), oldObject: copyOf(oldObject) }),
    }),
  };
}

function copyOf(object: KubeObject | undefined): KubeObject | undefined {
  return object && deepCopy(object);
}

const ignore = () => {};

/** Records nothing. */
export const unobserved: AdmissionObserver = {
  plugin: () => ignore,
  step: () => ignore,
  counter: () => ignore,
  histogram: () => ignore,
};

function phaseOf(
  plugins: readonly AdmissionPlugin[],
  phase: 'mutate' | 'validate',
  observer: AdmissionObserver,
): Admission['mutate'] {
  const type = phase === 'mutate' ? 'admit' : 'validate';
  const all = plugins.flatMap(({ name, handles, [phase]: act }): Stage[] =>
    act ? [{ handles, act, record: observer.plugin(name, type) }] : [],
  );
  const record = observer.step(type);
  const stepFor = memoize((resource: Resource): Step => {
    const stages = all.filter(({ handles }) => handles?.(resource) ?? true);
    return { type, stages, record };
  });
  return (attributes) => {
    const begun = performance.now();
    return runFrom(stepFor(attributes.resource), 0, attributes, begun, begun);
  };
}

/** Runs the stages from the given one on. The step began at `begun`, the stage begins at `since`. */
function runFrom(step: Step, from: number, attributes: AdmissionAttributes, begun: number, since: number): void | Promise<void> {
  const { operation } = attributes;
  let before = since;
  for (let i = from; i < step.stages.length; i++) {
    const stage = step.stages[i] as Stage;
    let waiting: void | Promise<void>;
    try {
      waiting = stage.act(attributes);
    } catch (error) {
      recordRejection(step, stage, operation, begun, before);
      throw error;
    }
    if (waiting) return waitFor(waiting, step, i, attributes, begun, before);
    const now = performance.now();
    stage.record(operation, now - before, false);
    before = now;
  }
  if (mustReinvoke(step, attributes)) return runFrom(step, 0, attributes, begun, before);
  step.record(operation, before - begun, false);
}

/** Whether mutating admission runs once more. At most once for a request. */
function mustReinvoke({ type }: Step, { reinvocation }: AdmissionAttributes): boolean {
  if (!reinvocation.isRequested || reinvocation.isReinvocation || type !== 'admit') return false;
  reinvocation.isReinvocation = true;
  return true;
}

async function waitFor(
  waiting: Promise<void>,
  step: Step,
  at: number,
  attributes: AdmissionAttributes,
  begun: number,
  since: number,
): Promise<void> {
  const stage = step.stages[at] as Stage;
  try {
    await waiting;
  } catch (error) {
    recordRejection(step, stage, attributes.operation, begun, since);
    throw error;
  }
  const now = performance.now();
  stage.record(attributes.operation, now - since, false);
  await runFrom(step, at + 1, attributes, begun, now);
}

function recordRejection(step: Step, stage: Stage, operation: AdmissionOperation, begun: number, since: number): void {
  const now = performance.now();
  stage.record(operation, now - since, true);
  step.record(operation, now - begun, true);
}
