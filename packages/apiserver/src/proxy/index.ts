export {
  asClientProblem,
  asTransportProblem,
  type Backend,
  type BackendRequest,
  type BackendTls,
  backendTlsOptions,
  hostPortOf,
  startRequest,
} from './backend.ts';
export { streamFrom } from './log-stream.ts';
export { tunnelSpdy } from './port-forward-tunnel.ts';
export { forwardedHeaders, proxiedResponseHeaders, upgradeHeaders } from './proxy-headers.ts';
export { escapedPath, joinedPath, queryOf } from './proxy-paths.ts';
export { proxyRequest } from './proxy-request.ts';
export {
  isUpgradeRequest,
  joinSockets,
  proxyUpgrade,
  refusal,
  requestUpgrade,
  switchingHead,
  takeOverClient,
  UpgradeFailed,
  upgradeError,
} from './proxy-upgrade.ts';
export { type RemoteCommand, type StreamSelection, translateStreams } from './stream-translator.ts';
export { offeredProtocols, streamCloseProtocol, tunneledProtocols } from './websocket-protocols.ts';
