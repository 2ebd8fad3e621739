export type { WebSocket } from 'ws';
export type * from './http/answer.ts';
export { type AdmitBytes, BodyTooLarge, ClientGone, NoRoomForBody } from './http/body.ts';
export { CountedDirectBody, DirectBody } from './http/direct-body.ts';
export { EventLoopBudget } from './http/event-loop-budget.ts';
export type * from './http/exchange.ts';
export { RequestMemory } from './http/request-memory.ts';
export { TokenBucket } from './http/token-bucket.ts';
export { acceptWebSocket, webSocketDuplex } from './http1/websocket.ts';
export type { Destination } from './http1-client/connection-pool.ts';
export {
  Http1Client,
  type Http1Request,
  OutboundError,
  type StreamedRequest,
  type StreamedResponse,
} from './http1-client/http1-client.ts';
export type { Http1Response } from './http1-client/response-reader.ts';
export { type IncomingConnections, type Listener, type ListenerOptions, listen } from './listener.ts';
export { type FailedHandshake, type TrustOptions, trustOptions, verificationProblem } from './outgoing-tls.ts';
export { SpdyConnection, type SpdyOptions, SpdyStream } from './spdy/connection.ts';
