export { type Aggregator, type AggregatorOptions, createAggregator } from './aggregator.ts';
export { type RemoteApi, remoteApiOf } from './remote-api.ts';
