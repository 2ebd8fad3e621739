export type * from './http/answer.ts';
export { type AdmitBytes, ClientGone, NoRoomForBody, TooLarge } from './http/body.ts';
export { CountedDirectBody, DirectBody } from './http/direct-body.ts';
export type * from './http/exchange.ts';
export { RequestMemory } from './http/request-memory.ts';
export { TurnBudget } from './http/turn-budget.ts';
export { Allowance } from './http2/allowance.ts';
export { type Listener, type ListenerOptions, listen } from './listener.ts';
export { type FailedHandshake, type TrustOptions, trustOptions, verificationProblem } from './outgoing-tls.ts';
