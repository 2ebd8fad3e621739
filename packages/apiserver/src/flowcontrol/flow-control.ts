import type { IncomingRequest, User } from '../http/api-request.ts';
import type { FlowControlMetrics } from '../metrics/flow-control-metrics.ts';
import { adjustLimits } from './concurrency-allocation.ts';
import type { Flow } from './flow.ts';
import { flowClassifier, type UserFlows } from './flow-classifier.ts';
import type { LevelConfig, SchemaConfig } from './flow-config.ts';
import { PriorityLevel } from './priority-level.ts';
import type { Seconds } from './queue-set.ts';

export interface FlowControlOptions {
  /** All the seats there are. */
  readonly serverLimit: number;
  /** There whatever is configured: a level and a schema for the exempt, and for those whom nothing else matches. */
  readonly mandatory: { readonly levels: readonly LevelConfig[]; readonly schemas: readonly SchemaConfig[] };
  readonly metrics: FlowControlMetrics;
  readonly now?: Seconds;
}

const adjustmentMs = 10_000;

/** Priority and fairness: which flow a request belongs to, and the seats of every priority level. */
export class FlowControl {
  readonly #options: FlowControlOptions;
  readonly #now: Seconds;
  #levels = new Map<string, PriorityLevel>();
  #sourceOf: (user: User) => UserFlows;
  readonly #timer: NodeJS.Timeout;

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now() / 1000);
    this.#sourceOf = this.#takeUp([], []);
    this.#timer = setInterval(() => this.adjust(), adjustmentMs).unref();
  }

  /** By name, in the order of the names. */
  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Takes up what is configured now. Requests that wait or are being served stay where they are. */
  configure(levels: readonly LevelConfig[], schemas: readonly SchemaConfig[]): void {
    this.#sourceOf = this.#takeUp(levels, schemas);
  }

  classify(request: IncomingRequest): Flow {
    return this.#sourceOf(request.user).flowOf(request.info, request.path);
  }

  /** Levels that need their seats get them back from those they were lent to. */
  adjust(): void {
    this.#forgetIdle();
    const fairFraction = adjustLimits([...this.#levels.values()], this.#options.serverLimit, this.#now());
    this.#options.metrics.families.fairFraction.set(fairFraction);
    for (const level of this.#levels.values()) level.series.currentR(level.queues.currentR);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #takeUp(configured: readonly LevelConfig[], schemas: readonly SchemaConfig[]): (user: User) => UserFlows {
    const { mandatory, metrics } = this.#options;
    this.#levels = this.#levelsOf(withMissing(configured, mandatory.levels));
    const usable = schemas.filter(({ level }) => this.#levels.get(level)?.isLeaving === false);
    this.#divide();
    return flowClassifier(inOrder(withMissing(usable, mandatory.schemas)), this.#levels, metrics);
  }

  /** What is no longer configured stays while it has something to do. */
  #levelsOf(configs: readonly LevelConfig[]): Map<string, PriorityLevel> {
    const levels = new Map<string, PriorityLevel>();
    for (const config of configs) {
      const level = this.#levels.get(config.name) ?? this.#newLevel(config);
      level.config = config;
      level.isLeaving = false;
      levels.set(config.name, level);
    }
    for (const [name, level] of this.#levels) {
      if (levels.has(name) || level.queues.isIdle) continue;
      level.isLeaving = true;
      levels.set(name, level);
    }
    return levels;
  }

  #newLevel(config: LevelConfig): PriorityLevel {
    return new PriorityLevel(config, this.#options.metrics.level(config.name), this.#now);
  }

  #forgetIdle(): void {
    const idle = [...this.#levels.values()].filter((level) => level.isLeaving && level.queues.isIdle);
    if (idle.length === 0) return;
    for (const { name } of idle) this.#levels.delete(name);
    this.#divide();
  }

  #scaleLoad(levels: readonly PriorityLevel[]): void {
    const seats = levels.reduce((sum, { nominal }) => sum + nominal, 0);
    const places = levels.reduce((sum, { places }) => sum + places, 0);
    for (const kind of ['readOnly', 'mutating'] as const) {
      this.#options.metrics.load('executing', kind).setDenominator(Math.max(1, seats));
      this.#options.metrics.load('waiting', kind).setDenominator(Math.max(1, places));
    }
  }

  #divide(): void {
    const levels = [...this.#levels.values()];
    const shares = levels.reduce((sum, { config }) => sum + config.shares, 0);
    for (const level of levels) level.divide(this.#options.serverLimit, shares);
    this.#scaleLoad(levels);
    adjustLimits(levels, this.#options.serverLimit, this.#now());
  }
}

function withMissing<T extends { readonly name: string }>(given: readonly T[], mandatory: readonly T[]): readonly T[] {
  return [...given, ...mandatory.filter(({ name }) => !given.some((one) => one.name === name))];
}

function inOrder(schemas: readonly SchemaConfig[]): readonly SchemaConfig[] {
  return [...schemas].sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
}
