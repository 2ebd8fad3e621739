import { deepCopy, deepEqual, type JsonObject } from '@tsukube/machinery';
import type { AdmissionAttributes } from '../../registry/admission.ts';

/** State of mutating policies between the first and the second run. */
export class PolicyReinvocation {
  #lastOutput: JsonObject | undefined;
  #invoked = new Set<string>();
  readonly #reinvoked = new Set<string>();

  static of({ reinvocation }: AdmissionAttributes, plugin: string): PolicyReinvocation {
    const known = reinvocation.state.get(plugin);
    if (known instanceof PolicyReinvocation) return known;
    const state = new PolicyReinvocation();
    reinvocation.state.set(plugin, state);
    return state;
  }

  /** Reinvokes all policies if other plugins have changed the object since the first run. */
  begin({ reinvocation, object }: AdmissionAttributes): void {
    if (reinvocation.isReinvocation && !deepEqual(this.#lastOutput, object)) this.requireReinvocation();
  }

  end({ reinvocation, object }: AdmissionAttributes): void {
    if (!reinvocation.isReinvocation) this.#lastOutput = object && deepCopy(object);
  }

  shouldReinvoke(invocation: string): boolean {
    return this.#reinvoked.has(invocation);
  }

  /** Remembers an invocation whose policy runs again if needed. */
  invoked(invocation: string): void {
    this.#invoked.add(invocation);
  }

  /** The object has changed: the invocations so far run again. */
  requireReinvocation(): void {
    for (const invocation of this.#invoked) this.#reinvoked.add(invocation);
    this.#invoked = new Set();
  }
}
