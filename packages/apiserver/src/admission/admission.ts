import type { JsonObject } from '@tsukube/machinery';
import type { User } from '../http/request.ts';
import type { Resource, ServedVersion } from '../resource.ts';

/** One write on its way to the store. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: Resource;
  readonly version: ServedVersion;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a creation whose name is not known yet. */
  readonly name: string;
  /** In the hub version. Absent for a deletion. */
  readonly object: JsonObject | undefined;
  /** Absent for a creation. */
  readonly oldObject: JsonObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
}

/** Changes or refuses a write. Refusing is throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May change `object`. Runs before validation. */
  readonly mutate?: (attributes: AdmissionAttributes) => void | Promise<void>;
  /** Runs on what will be stored. */
  readonly validate?: (attributes: AdmissionAttributes) => void | Promise<void>;
}

export interface Admission {
  mutate(attributes: AdmissionAttributes): void | Promise<void>;
  validate(attributes: AdmissionAttributes): void | Promise<void>;
}

/** Runs plugins one after the other, without waiting where a plugin does not. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  return {
    mutate: (attributes) => runAll(plugins, 'mutate', attributes, 0),
    validate: (attributes) => runAll(plugins, 'validate', attributes, 0),
  };
}

function runAll(
  plugins: readonly AdmissionPlugin[],
  phase: 'mutate' | 'validate',
  attributes: AdmissionAttributes,
  from: number,
): void | Promise<void> {
  for (let i = from; i < plugins.length; i++) {
    const waiting = plugins[i]?.[phase]?.(attributes);
    if (waiting) return waiting.then(() => runAll(plugins, phase, attributes, i + 1));
  }
}
