/** Fails while something that belongs to a start has not happened, or is no longer so. */
export type StepCheck = () => void | Promise<void>;

/** What has become of the start of a server, under the names that kube-apiserver has for its own steps. */
export class StartSteps {
  readonly #checks = new Map<string, StepCheck>();

  /** From now on the step counts as taken, as long as the check holds. */
  taken(name: string, check: StepCheck = () => {}): void {
    this.#checks.set(name, check);
  }

  check(name: string): void | Promise<void> {
    const check = this.#checks.get(name);
    if (!check) throw new Error(`${name} has not been done yet`);
    return check();
  }
}
