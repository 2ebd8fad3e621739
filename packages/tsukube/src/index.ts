import { loadKit } from './bundle/load-kit.ts';
import type { ServeOptions } from './serve-options.ts';

/** A Kubernetes object as JSON. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata?: { name?: string; namespace?: string; generateName?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** A path or glob, a `file:` URL, YAML or JSON text, an object, or a list of any of these. */
export type Manifest = string | URL | object | readonly Manifest[];

/** Receives the server's log lines. */
export interface ServerLogger {
  error?(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn?(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info?(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug?(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/**
 * Options of {@link startServer}: the flags of `tsukube serve` in camel case, durations in milliseconds. The defaults suit a
 * test: storage in memory, any free port, no files.
 */
export interface StartServerOptions extends ServeOptions {
  /** CustomResourceDefinitions to create before anything else. The server is returned once they are established. */
  readonly crds?: Manifest;
  /** Objects to create after the CRDs: namespaces first, webhooks and admission policies last. */
  readonly manifests?: Manifest;
  /** Receives log lines; without it there are none. */
  readonly logger?: ServerLogger;
}

/** Everything a client needs. PEM texts, in the shapes of node:tls, undici and @kubernetes/client-node. */
export interface RestConfig {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  /** The certificate authority that signed the serving certificate. */
  readonly ca: string;
  /** The client certificate of a cluster administrator. */
  readonly cert: string;
  /** The private key of `cert`. */
  readonly key: string;
  /** First argument of `KubeConfig.loadFromClusterAndUser`. */
  readonly cluster: { readonly name: string; readonly server: string; readonly caData: string; readonly skipTLSVerify: false };
  /** Second argument of `KubeConfig.loadFromClusterAndUser`. */
  readonly user: { readonly name: string; readonly certData: string; readonly keyData: string };
}

/** A namespace with a unique name. */
export interface TestNamespace {
  readonly name: string;
  /** Removes the namespace and everything in it at once, finalizers or not. */
  delete(): Promise<void>;
  toString(): string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A running API server. */
export interface TestServer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** A kubeconfig of a cluster administrator as YAML, certificates included. */
  readonly kubeconfig: string;
  /** Writes the kubeconfig, readable by this user only, and returns the absolute path. */
  writeKubeconfig(path: string): Promise<string>;
  /** Address and credentials for any client. */
  client(): RestConfig;
  /** `fetch` as a cluster administrator; `path` starts with a slash. A plain object as body is sent as JSON. */
  fetch(path: string, init?: FetchInit): Promise<Response>;
  /** Applies objects as `crds` and `manifests` at start do, with server-side apply. Returns them as stored. */
  apply(manifests: Manifest): Promise<KubernetesObject[]>;
  /** Creates a namespace named `PREFIX-xxxxx`; the prefix is `test` by default. */
  namespace(prefix?: string): Promise<TestNamespace>;
  /**
   * Returns to the state after start, `crds` and `manifests` included: removes what was created, restores what was changed
   * or deleted, at once, finalizers or not. Watches stay open and see the changes; resource versions keep increasing.
   */
  reset(): Promise<void>;
  /** Ends watches, finishes requests in flight, frees the port. Calling it again has no effect. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | object;
  readonly signal?: AbortSignal;
}

/** An option of {@link startServer} is unknown, has the wrong type or a bad value. */
export class TsukubeOptionError extends Error {
  override readonly name: string = 'TsukubeOptionError';
  /** The option, for example `securePort`. */
  readonly option: string;
  constructor(option: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.option = option;
  }
}

/** A manifest could not be read, or the server refused it. */
export class TsukubeManifestError extends Error {
  override readonly name: string = 'TsukubeManifestError';
  /** The file, or the option and the index within it. */
  readonly source: string;
  /** The document within the source, from 1. */
  readonly document: number | undefined;
  /** For example `ConfigMap default/settings`. */
  readonly object: string | undefined;
  /** The Status that the server answered with. */
  readonly status: Readonly<Record<string, unknown>> | undefined;
  constructor(
    message: string,
    at: { source: string; document?: number; object?: string; status?: Readonly<Record<string, unknown>>; cause?: unknown },
  ) {
    super(message, { cause: at.cause });
    this.source = at.source;
    this.document = at.document;
    this.object = at.object;
    this.status = at.status;
  }
}

/**
 * Starts a Kubernetes API server in this process.
 *
 * Rejects with {@link TsukubeOptionError} for bad options and with {@link TsukubeManifestError} for a manifest that cannot be
 * read or is refused.
 */
export async function startServer(options: StartServerOptions = {}): Promise<TestServer> {
  const kit = await loadKit();
  return kit.startTestServer(options);
}
