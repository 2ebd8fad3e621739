export { flowControlPages } from './dump-pages.ts';
export type { LevelConfig, SchemaConfig } from './flow-config.ts';
export { FlowControl, type FlowControlOptions } from './flow-control.ts';
export { QueuedStarts } from './queued-starts.ts';
export { readLevel, readSchema } from './read-config.ts';
export { SlowBodies } from './slow-bodies.ts';
export { TurnWatch } from './turn-watch.ts';
export { WatchCounts } from './watch-counts.ts';
export { type ObjectStats, type WorkEstimator, workEstimator } from './work-estimator.ts';
