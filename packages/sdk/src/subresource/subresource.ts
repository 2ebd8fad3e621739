import type { Resource, Subresource, VerbHandler } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import type { UpgradedConnection, WebSocket } from '@tsukube/transport';
import { answerResult, type SubresourceResult } from './result.ts';
import { SubresourceRequest } from './subresource-request.ts';
import { connectWebSocket, serveUpgrade } from './upgrade.ts';

type MaybePromise<T> = T | Promise<T>;

/** Answers a request for a subresource. Throw a StatusError for an error of the client; any other error is a 500, and logged. */
export type SubresourceHandler<T> = (request: SubresourceRequest<T>) => MaybePromise<SubresourceResult>;

/** A stream of messages in both directions. */
export interface WebSocketHandler<T> {
  /** Subprotocols in order of preference. Without any, none is negotiated. */
  readonly protocols?: readonly string[];
  /** `protocol` is the negotiated subprotocol, or empty. If it throws, the connection is closed. */
  connect(socket: WebSocket, request: SubresourceRequest<T>, protocol: string): MaybePromise<void>;
}

/** A connection that leaves HTTP. */
export interface UpgradeHandler<T> {
  /** The value of the Upgrade header, such as `SPDY/3.1`, in any case. */
  readonly protocol: string;
  /** Gets the connection after the response 101. If it throws, the connection is closed. */
  connect(connection: UpgradedConnection, request: SubresourceRequest<T>): MaybePromise<void>;
}

/** The handlers of a subresource by HTTP method. RBAC's verbs are get, create (POST), update (PUT), patch and delete. */
export interface SubresourceHandlers<T> {
  readonly get?: SubresourceHandler<T>;
  readonly put?: SubresourceHandler<T>;
  readonly post?: SubresourceHandler<T>;
  readonly patch?: SubresourceHandler<T>;
  readonly delete?: SubresourceHandler<T>;
  /** Requested with GET. */
  readonly webSocket?: WebSocketHandler<T>;
  /** Requested with GET or POST. */
  readonly upgrade?: UpgradeHandler<T>;
}

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** `onObjects` makes the objects of an own storage known to the handler. */
export function subresourceOf<T>(
  name: string,
  handlers: SubresourceHandlers<T>,
  onObjects: (handler: VerbHandler) => VerbHandler,
): Subresource {
  const { webSocket, upgrade } = handlers;
  const connectMethods = methods.filter(
    (method) => handlers[method] || (method === 'get' && (webSocket ?? upgrade)) || (method === 'post' && upgrade),
  );
  if (connectMethods.length === 0) throw new TypeError(`the subresource ${name} has no handlers`);
  const connect: VerbHandler = (request) => {
    const asked = new SubresourceRequest<T>(request);
    const { exchange } = request;
    const protocol = exchange.header('upgrade')?.toLowerCase();
    if (webSocket && exchange.takeOver && protocol === 'websocket') return connectWebSocket(webSocket, asked);
    if (upgrade && exchange.takeOver && protocol === upgrade.protocol.toLowerCase()) return serveUpgrade(upgrade, asked);
    const handler = handlers[request.method.toLowerCase() as (typeof methods)[number]];
    if (!handler) throw StatusError.badRequest(`${name} must be requested with an upgrade of the connection`);
    return answered(handler, asked);
  };
  return { connectMethods, verbs: { connect: onObjects(connect) } };
}

async function answered<T>(handler: SubresourceHandler<T>, request: SubresourceRequest<T>) {
  return answerResult(await handler(request), request.request.shutdown);
}

const reserved = new Set(['status', 'scale']);

/** The subresources with handlers. Throws TypeError for a name that is not allowed. */
export function subresourcesOf<T>(
  given: Readonly<Record<string, SubresourceHandlers<T>>>,
  onObjects: (handler: VerbHandler) => VerbHandler,
): NonNullable<Resource['subresources']> {
  return Object.fromEntries(
    Object.entries(given).map(([name, handlers]) => {
      if (reserved.has(name)) throw new TypeError(`${name} has an option of its own`);
      if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) throw new TypeError(`"${name}" is not a name for a subresource`);
      return [name, subresourceOf(name, handlers, onObjects)];
    }),
  );
}
