export type * from './http/answer.ts';
export { type AdmitBytes, BodyTooLarge, ClientGone, NoRoomForBody } from './http/body.ts';
export { CountedDirectBody, DirectBody } from './http/direct-body.ts';
export { EventLoopBudget } from './http/event-loop-budget.ts';
export type * from './http/exchange.ts';
export { RequestMemory } from './http/request-memory.ts';
export { TokenBucket } from './http/token-bucket.ts';
export { type Listener, type ListenerOptions, listen } from './listener.ts';
export { type FailedHandshake, type TrustOptions, trustOptions, verificationProblem } from './outgoing-tls.ts';
