import type { KubeObject } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';
import type { Resource, ServedVersion } from './resource.ts';

/** A write, as admission plugins see it. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: Resource;
  readonly version: ServedVersion;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a create whose name is not generated yet. */
  readonly name: string;
  /** In the hub version. Absent for a delete. */
  readonly object: KubeObject | undefined;
  /** Absent for a create. */
  readonly oldObject: KubeObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
}

/** Changes a write, or rejects it by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
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
export type AdmissionRecorder = (operation: AdmissionAttributes['operation'], milliseconds: number, rejected: boolean) => void;

export interface AdmissionObserver {
  plugin(name: string, type: AdmissionType): AdmissionRecorder;
  step(type: AdmissionType): AdmissionRecorder;
}

/** The phases, as metrics name them. */
export type AdmissionType = 'admit' | 'validate';

interface Stage {
  readonly act: NonNullable<AdmissionPlugin['mutate']>;
  readonly record: AdmissionRecorder;
}

/** Runs plugins in order; synchronously as long as plugins are. */
export function admissionChain(plugins: readonly AdmissionPlugin[], observer: AdmissionObserver = unobserved): Admission {
  return { mutate: step(plugins, 'mutate', observer), validate: step(plugins, 'validate', observer) };
}

const unobserved: AdmissionObserver = { plugin: () => () => {}, step: () => () => {} };

function step(
  plugins: readonly AdmissionPlugin[],
  phase: 'mutate' | 'validate',
  observer: AdmissionObserver,
): Admission['mutate'] {
  const type = phase === 'mutate' ? 'admit' : 'validate';
  const stages = plugins.flatMap(({ name, [phase]: act }): Stage[] =>
    act ? [{ act, record: observer.plugin(name, type) }] : [],
  );
  const record = observer.step(type);
  return (attributes) => runFrom(stages, 0, attributes, record, performance.now());
}

function runFrom(
  stages: readonly Stage[],
  from: number,
  attributes: AdmissionAttributes,
  recordStep: AdmissionRecorder,
  begun: number,
): void | Promise<void> {
  const { operation } = attributes;
  let since = from === 0 ? begun : performance.now();
  for (let i = from; i < stages.length; i++) {
    const stage = stages[i] as Stage;
    let waiting: void | Promise<void>;
    try {
      waiting = stage.act(attributes);
    } catch (error) {
      recordRejection(stage, recordStep, operation, since, begun);
      throw error;
    }
    if (waiting) return waitFor(waiting, stages, i, attributes, recordStep, since, begun);
    const now = performance.now();
    stage.record(operation, now - since, false);
    since = now;
  }
  recordStep(operation, since - begun, false);
}

async function waitFor(
  waiting: Promise<void>,
  stages: readonly Stage[],
  at: number,
  attributes: AdmissionAttributes,
  recordStep: AdmissionRecorder,
  since: number,
  begun: number,
): Promise<void> {
  const stage = stages[at] as Stage;
  try {
    await waiting;
  } catch (error) {
    recordRejection(stage, recordStep, attributes.operation, since, begun);
    throw error;
  }
  stage.record(attributes.operation, performance.now() - since, false);
  await runFrom(stages, at + 1, attributes, recordStep, begun);
}

function recordRejection(
  stage: Stage,
  recordStep: AdmissionRecorder,
  operation: AdmissionAttributes['operation'],
  since: number,
  begun: number,
): void {
  const now = performance.now();
  stage.record(operation, now - since, true);
  recordStep(operation, now - begun, true);
}
