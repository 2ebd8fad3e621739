import { type CacheEntry, decodeObject, isReadable, type ObjectCache } from '@tsukube/apiserver';
import { controllerOf, goQuote, type JsonObject, type KubeObject, objectIn, textIn } from '@tsukube/machinery';
import { TimeSlice } from '@tsukube/storage';
import { checkedPod } from './check.ts';
import { reasonsText, violationsOf } from './evaluator.ts';
import { type LevelVersion, levelVersionText } from './policy.ts';

const maxPods = 3000;
const maxMs = 1000;
const pageSize = 500;

export interface ExistingPods {
  readonly pods: ObjectCache;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Pods with the same violations. */
interface Violators {
  /** The first name in lexical order. */
  name: string;
  count: number;
}

/** Warnings about the pods of a namespace that violate a policy. If there are too many, one pod of each controller is evaluated before all others. */
export async function existingPodWarnings(
  namespace: string,
  enforce: LevelVersion,
  given: ExistingPods,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    await given.pods.loaded();
  } catch {
    return ['failed to list pods while checking new PodSecurity enforce level'];
  }
  const evaluation = new Evaluation(enforce, given, signal);
  await evaluation.run(`${given.pods.prefix}${namespace}/`);
  return evaluation.warnings(namespace);
}

/** In pages: the cache may change between two slices of the evaluation. */
function* entriesOf(pods: ObjectCache, prefix: string): Iterable<CacheEntry> {
  for (let from = ''; ; ) {
    const page = pods.slice(prefix, from, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    from = `${page.at(-1)?.key}\0`;
  }
}

class Evaluation {
  readonly #enforce: LevelVersion;
  readonly #given: ExistingPods;
  readonly #signal: AbortSignal;
  readonly #deadline: number;
  readonly #slice = new TimeSlice();
  readonly #controllers = new Set<string>();
  readonly #violators = new Map<string, Violators>();
  #total = 0;
  #checked = 0;

  constructor(enforce: LevelVersion, given: ExistingPods, signal: AbortSignal) {
    this.#enforce = enforce;
    this.#given = given;
    this.#signal = signal;
    this.#deadline = given.now() + maxMs;
  }

  async run(prefix: string): Promise<void> {
    const replicas: CacheEntry[] = [];
    this.#total = this.#given.pods.count(prefix);
    const allFit = this.#total <= maxPods;
    const isComplete = await this.#each(entriesOf(this.#given.pods, prefix), (pod, entry) => {
      if (this.#isExempt(pod)) this.#total--;
      else if (allFit || !this.#isReplica(pod)) this.#check(pod);
      else if (replicas.length < maxPods) replicas.push(entry);
    });
    // Pods may have been created or deleted since they were counted.
    if (isComplete && replicas.length === 0) this.#total = this.#checked;
    await this.#each(replicas, (pod) => this.#check(pod));
  }

  /** Visits pods until the limit or the deadline is reached. Returns whether all were visited. */
  async #each(entries: Iterable<CacheEntry>, visit: (pod: KubeObject, entry: CacheEntry) => void): Promise<boolean> {
    for (const entry of entries) {
      if (this.#checked === maxPods || this.#isLate()) return false;
      if (isReadable(entry)) visit(decodeObject(entry.value), entry);
      else this.#total--;
      if (this.#slice.over) await this.#slice.rest();
    }
    return true;
  }

  /** One pod is checked in any case. */
  #isLate(): boolean {
    return this.#checked > 0 && (this.#signal.aborted || this.#given.now() >= this.#deadline);
  }

  #isExempt(pod: JsonObject): boolean {
    return this.#given.exemptRuntimeClasses.has(textIn(objectIn(pod, 'spec'), 'runtimeClassName'));
  }

  /** Whether a pod of the same controller has been seen. */
  #isReplica({ metadata }: KubeObject): boolean {
    const controller = controllerOf(metadata)?.uid;
    if (controller === undefined) return false;
    return this.#controllers.size === this.#controllers.add(controller).size;
  }

  #check(pod: KubeObject): void {
    this.#checked++;
    const { metadata } = pod;
    const violations = violationsOf(checkedPod(metadata, objectIn(pod, 'spec') ?? {}), this.#enforce);
    if (violations.length === 0) return;
    const reasons = reasonsText(violations);
    const { name = '' } = metadata;
    const known = this.#violators.get(reasons);
    if (!known) return void this.#violators.set(reasons, { name, count: 1 });
    known.count++;
    if (name < known.name) known.name = name;
  }

  warnings(namespace: string): readonly string[] {
    const found = [...this.#violators].map(([reasons, { name, count }]) => `${name}${othersText(count - 1)}: ${reasons}`);
    const level = levelVersionText(this.#enforce);
    return [
      ...(this.#checked < this.#total
        ? [`new PodSecurity enforce level only checked against the first ${this.#checked} of ${this.#total} existing pods`]
        : []),
      ...(found.length > 0
        ? [`existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${goQuote(level)}`]
        : []),
      ...found.sort(),
    ];
  }
}

function othersText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}
