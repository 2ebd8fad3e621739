export { type LevelConfig, readLevel, readSchema, type SchemaConfig } from './flow-config.ts';
export { FlowControl, type FlowControlOptions } from './flow-control.ts';
export { DispatchPacer, SeatReleaser } from './loop-pacing.ts';
export { SlowUploads } from './seat-wait.ts';
export { type ObjectStats, WatchTracker, type WorkEstimator, workEstimator } from './work-estimator.ts';
