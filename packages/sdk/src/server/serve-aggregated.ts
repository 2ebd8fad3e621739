import { type ApiAccess, logError } from '../access/api-access.ts';
import { accessOf } from '../access/client-access.ts';
import { type MainServerOptions, openMainServer } from '../access/main-server.ts';
import { type CertificatePlace, certificateSource, serviceHosts } from '../certificates/certificate-source.ts';
import type { ServingCertificates } from '../certificates/serving-certificates.ts';
import { type DelegatedAuthenticationOptions, delegatedAuthentication } from '../delegation/delegated-authentication.ts';
import { type DelegatedAuthorizationOptions, delegatedAuthorization } from '../delegation/delegated-authorization.ts';
import type { RegisteredApi } from '../register/api-services.ts';
import { type ApiRegistration, type RegisteredService, register } from '../register/register.ts';
import type { RenewedCertificate } from './certificates.ts';
import type { ApiServerOptions } from './options.ts';
import { type RunningApiServer, serve } from './serve.ts';

type Replaced = 'tls' | 'certificates' | 'hosts' | 'admin' | 'kubeconfig' | 'authentication' | 'authorization';

export interface AggregatedOptions extends Omit<ApiServerOptions, Replaced>, MainServerOptions {
  /** The Service that leads to this program. Created by default. */
  readonly service: RegisteredService;
  /** The group versions to register, with their priorities. By default those of the resources. */
  readonly apis?: readonly RegisteredApi[];
  /** Where the serving certificate is. By default in a Secret `SERVICE-serving-cert` beside the Service, which replicas share. */
  readonly certificates?: CertificatePlace;
  /** 0.0.0.0 by default; 127.0.0.1 if the Service leads to `localhost`. */
  readonly host?: string;
  /** By default any free one; 8443 for a Service that is not created. */
  readonly port?: number;
  /** Deletes the APIServices and the Service on `close`, for all replicas. Otherwise only this replica leaves. */
  readonly unregisterOnClose?: boolean;
  /** Time between refreshes of the registration, 30 seconds by default. */
  readonly refreshIntervalMs?: number;
  readonly authentication?: Omit<DelegatedAuthenticationOptions, keyof MainServerOptions>;
  readonly authorization?: Omit<DelegatedAuthorizationOptions, keyof MainServerOptions>;
  /** Failures of background work. Logged, or written to stderr without a logger. */
  readonly onError?: (error: unknown) => void;
  /** For certificates. */
  readonly now?: () => Date;
}

export interface AggregatedApiServer extends Pick<RunningApiServer, 'url' | 'port'> {
  /** The CA of the serving certificate in PEM. */
  readonly ca: string;
  readonly registration: ApiRegistration;
  /** Resolves when the main API server reaches this one. Rejects with the reason if it does not within the timeout. */
  available(timeoutMs?: number): Promise<void>;
  /** Leaves the Service, then shuts down gracefully. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves resources behind a main API server: its users and its RBAC, a certificate that it verifies, and an APIService that leads
 * here. Resolves when the APIService is registered. Rejects if that fails; nothing keeps running then.
 */
export async function serveAggregated(options: AggregatedOptions): Promise<AggregatedApiServer> {
  const undo: (() => void | Promise<void>)[] = [];
  const unwind = async () => {
    for (const each of undo.splice(0).reverse()) await each();
  };
  try {
    return await start(options, undo, unwind);
  } catch (error) {
    await unwind();
    throw error;
  }
}

async function start(
  options: AggregatedOptions,
  undo: (() => void | Promise<void>)[],
  unwind: () => Promise<void>,
): Promise<AggregatedApiServer> {
  const { service, logger } = options;
  const onError =
    options.onError ?? (logger ? (error) => logger.error('aggregation failed', { error: String(error) }) : logError);
  const main = await openMainServer(options);
  undo.push(main.close);
  const { client } = main;
  const certificate = await openCertificate(options, accessOf(client));
  const authentication = await delegatedAuthentication({ onError, ...options.authentication, client });
  undo.push(authentication.close);
  const authorization = await delegatedAuthorization({ ...options.authorization, client });
  const isLocal = service.host === 'localhost';
  const running = await serve({
    ...options,
    kubeconfig: undefined,
    certificates: undefined,
    host: options.host ?? (isLocal ? '127.0.0.1' : '0.0.0.0'),
    port: options.port ?? (service.create === false ? 8443 : 0),
    tls: certificate,
    admin: false,
    authentication,
    authorization,
  });
  undo.push(running.close);
  const registration = await register({
    client,
    apis: options.apis ?? apisOf(options),
    service,
    port: running.port,
    ca: certificate.renew,
    onError,
    unregisterOnClose: options.unregisterOnClose,
    refreshIntervalMs: options.refreshIntervalMs,
  });
  undo.push(() => registration.close());
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= unwind();
    return closing;
  };
  return {
    url: running.url,
    port: running.port,
    get ca() {
      return certificate.current().ca;
    },
    registration,
    available: (timeoutMs) => registration.available(timeoutMs),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function apisOf({ resources }: AggregatedOptions): readonly RegisteredApi[] {
  const versions = resources.flatMap((resource) => resource.versions);
  return [...new Map(versions.map(({ group, version }) => [`${version}.${group}`, { group, version }])).values()];
}

interface OwnCertificate extends RenewedCertificate {
  current(): ServingCertificates;
  /** Loads the certificate again, and renews it if it is due. Resolves with its CA. */
  renew(): Promise<string>;
}

async function openCertificate({ service, certificates, now }: AggregatedOptions, access: ApiAccess): Promise<OwnCertificate> {
  const { name, namespace } = service;
  const place = certificates ?? { secret: { namespace, name: `${name}-serving-cert` } };
  const hosts = [...serviceHosts(service), 'localhost', '127.0.0.1'];
  const open = certificateSource({ place, commonName: name, hosts, access, now });
  let current = await open();
  const listeners = new Set<() => void>();
  return {
    current: () => current,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async renew() {
      const fresh = await open();
      const isChanged = fresh.cert !== current.cert || fresh.key !== current.key;
      current = fresh;
      if (isChanged) for (const listener of listeners) listener();
      return current.ca;
    },
  };
}
