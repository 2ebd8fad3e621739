import type { IncomingRequest, User } from '../http/api-request.ts';
import type { FlowControlMetrics } from '../metrics/flow-control-metrics.ts';
import { adjustLimits } from './concurrency-allocation.ts';
import type { Flow } from './flow.ts';
import { flowClassifier, type UserFlows } from './flow-classifier.ts';
import type { LevelConfig, SchemaConfig } from './flow-config.ts';
import { PriorityLevel } from './priority-level.ts';
import type { Seconds } from './queue-set.ts';

export interface FlowControlOptions {
  /** The server's concurrency limit, in seats. */
  readonly serverLimit: number;
  /** The mandatory levels and schemas (exempt and catch-all), which exist whatever is configured. */
  readonly mandatory: { readonly levels: readonly LevelConfig[]; readonly schemas: readonly SchemaConfig[] };
  readonly metrics: FlowControlMetrics;
  readonly now?: Seconds;
}

const adjustmentMs = 10_000;

/** API Priority and Fairness: classifies requests into flows and manages the seats of the priority levels. */
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

  /** Sorted by name. */
  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Applies a new configuration. Waiting and executing requests stay in their queues. */
  configure(levels: readonly LevelConfig[], schemas: readonly SchemaConfig[]): void {
    this.#sourceOf = this.#takeUp(levels, schemas);
  }

  classify(request: IncomingRequest): Flow {
    return this.#sourceOf(request.user).flowOf(request.info, request.path);
  }

  /** Adjusts the borrowing of seats between levels. */
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
    const usable = schemas.filter(({ level }) => this.#levels.get(level)?.isQuiescing === false);
    this.#distributeSeats();
    return flowClassifier(inOrder(withMissing(usable, mandatory.schemas)), this.#levels, metrics);
  }

  /** Levels that are no longer configured stay until they are idle. */
  #levelsOf(configs: readonly LevelConfig[]): Map<string, PriorityLevel> {
    const levels = new Map<string, PriorityLevel>();
    for (const config of configs) {
      const level = this.#levels.get(config.name) ?? this.#newLevel(config);
      level.config = config;
      level.isQuiescing = false;
      levels.set(config.name, level);
    }
    for (const [name, level] of this.#levels) {
      if (levels.has(name) || level.queues.isIdle) continue;
      level.isQuiescing = true;
      levels.set(name, level);
    }
    return levels;
  }

  #newLevel(config: LevelConfig): PriorityLevel {
    return new PriorityLevel(config, this.#options.metrics.level(config.name), this.#now);
  }

  #forgetIdle(): void {
    const idle = [...this.#levels.values()].filter((level) => level.isQuiescing && level.queues.isIdle);
    if (idle.length === 0) return;
    for (const { name } of idle) this.#levels.delete(name);
    this.#distributeSeats();
  }

  #scaleLoad(levels: readonly PriorityLevel[]): void {
    const seats = levels.reduce((sum, { nominal }) => sum + nominal, 0);
    const queueCapacity = levels.reduce((sum, { queueCapacity }) => sum + queueCapacity, 0);
    for (const kind of ['readOnly', 'mutating'] as const) {
      this.#options.metrics.load('executing', kind).setDenominator(Math.max(1, seats));
      this.#options.metrics.load('waiting', kind).setDenominator(Math.max(1, queueCapacity));
    }
  }

  #distributeSeats(): void {
    const levels = [...this.#levels.values()];
    const shares = levels.reduce((sum, { config }) => sum + config.shares, 0);
    for (const level of levels) level.setNominalLimit(this.#options.serverLimit, shares);
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
