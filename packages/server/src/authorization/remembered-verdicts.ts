import type { Verdict } from '@tsukube/apiserver';

const maxRemembered = 8192;

interface Remembered {
  readonly verdict: Verdict;
  readonly until: number;
}

/** What a webhook has said, the oldest of which goes first when there is no more room. */
export class RememberedVerdicts {
  readonly #verdicts = new Map<string, Remembered>();
  readonly #allowedMs: number;
  readonly #refusedMs: number;
  readonly #now: () => number;

  constructor(allowedMs: number, refusedMs: number, now: () => number = () => performance.now()) {
    this.#allowedMs = allowedMs;
    this.#refusedMs = refusedMs;
    this.#now = now;
  }

  get(key: string): Verdict | undefined {
    const known = this.#verdicts.get(key);
    if (!known) return undefined;
    if (known.until > this.#now()) return known.verdict;
    this.#verdicts.delete(key);
    return undefined;
  }

  add(key: string, verdict: Verdict): void {
    const lasting = verdict.decision === 'allow' ? this.#allowedMs : this.#refusedMs;
    if (lasting <= 0) return;
    this.#verdicts.delete(key);
    this.#verdicts.set(key, { verdict, until: this.#now() + lasting });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > maxRemembered && oldest !== undefined) this.#verdicts.delete(oldest);
  }
}
