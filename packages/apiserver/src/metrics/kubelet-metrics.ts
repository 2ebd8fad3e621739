import type { Registry } from './prometheus/registry.ts';

/** Metrics of connections to kubelets, under kube-apiserver's names. */
export interface KubeletMetrics {
  /** Counts a request for logs, by whether the kubelet's certificate may be verified. */
  logRequested(isVerified: boolean): void;
  /** Counts a request for logs that failed because the kubelet's certificate is not trusted. */
  untrusted(): void;
  /** Counts a request for exec, attach or portforward. */
  routed(subresource: string, isTranslated: boolean): void;
  /** Counts the outcome of a WebSocket that was translated to SPDY. */
  translated(code: number): void;
  /** Counts the outcome of a WebSocket that tunnels SPDY. */
  tunneled(code: number): void;
}

export function kubeletMetrics(registry: Registry): KubeletMetrics {
  const logs = registry.counter({
    name: 'kube_apiserver_pod_logs_insecure_backend_total',
    help: '[ALPHA] Total number of requests for pods/logs sliced by usage type: enforce_tls, skip_tls_allowed, skip_tls_denied',
    labels: ['usage'],
  });
  const failures = registry.counter({
    name: 'kube_apiserver_pod_logs_backend_tls_failure_total',
    help: '[ALPHA] Total number of requests for pods/logs that failed due to kubelet server TLS verification',
  });
  const routes = registry.counter({
    name: 'apiserver_websocket_streaming_requests_total',
    help: '[ALPHA] Total number of WebSocket streaming requests (exec/attach/portforward) routed by the API server.',
    labels: ['subresource', 'proxy_type'],
  });
  const translations = registry.counter({
    name: 'apiserver_stream_translator_requests_total',
    help: '[ALPHA] Total number of requests that were handled by the StreamTranslatorProxy, which processes streaming RemoteCommand/V5',
    labels: ['code'],
  });
  const tunnels = registry.counter({
    name: 'apiserver_stream_tunnel_requests_total',
    help: '[ALPHA] Total number of requests that were handled by the StreamTunnelProxy, which processes streaming PortForward/V2',
    labels: ['code'],
  });
  return {
    logRequested: (isVerified) => logs.with({ usage: isVerified ? 'enforce_tls' : 'skip_tls_allowed' }).increase(),
    untrusted: () => failures.with({}).increase(),
    routed: (subresource, isTranslated) =>
      routes.with({ subresource, proxy_type: isTranslated ? 'translated_at_apiserver' : 'proxied_to_kubelet' }).increase(),
    translated: (code) => translations.with({ code: String(code) }).increase(),
    tunneled: (code) => tunnels.with({ code: String(code) }).increase(),
  };
}
