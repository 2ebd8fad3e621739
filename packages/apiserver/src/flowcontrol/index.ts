export { type LevelConfig, readLevel, readSchema, type SchemaConfig } from './flow-config.ts';
export { FlowControl, type FlowControlOptions } from './flow-control.ts';
export { QueuedStarts, TurnWatch } from './loop-pacing.ts';
export { SlowBodies } from './seat-wait.ts';
export { type ObjectStats, WatchCounts, type WorkEstimator, workEstimator } from './work-estimator.ts';
