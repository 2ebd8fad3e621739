export { type NodeAgentOptions, type RunningNodeAgent, startNodeAgent } from './node-agent.ts';
