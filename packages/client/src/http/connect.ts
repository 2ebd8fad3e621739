import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { anonymousCredentials, type ClusterConfig } from '../config/cluster-config.ts';
import { ConnectionError } from './transport.ts';

/** Options of TLS connections to the server, with the current client certificate. */
export async function tlsOptions({ server, ca, serverName, insecure, credentials = anonymousCredentials }: ClusterConfig) {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, '');
  const certificate = await credentials.certificate();
  // SNI does not allow addresses; the certificate is checked against the address then.
  const servername = serverName ?? (isIP(host) === 0 ? host : '');
  return {
    host,
    port: Number(port || 443),
    ...(ca !== undefined && { ca }),
    ...(servername !== '' && { servername }),
    ...certificate,
    rejectUnauthorized: !insecure,
  } satisfies ConnectionOptions;
}

/** A TLS connection with HTTP/2 and HTTP/1.1 offered by ALPN. Rejects with ConnectionError. */
export async function connectTls(config: ClusterConfig, timeoutMs: number): Promise<TLSSocket> {
  const options = await tlsOptions(config);
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] });
    const fail = (message: string, cause?: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new ConnectionError(`${config.server}: ${message}`, { unprocessed: true, cause }));
    };
    const timer = setTimeout(() => fail(`no connection within ${timeoutMs} ms`), timeoutMs);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error').removeAllListeners('close');
      // Errors between here and the next listener must not be uncaught.
      socket.on('error', () => {});
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once('error', (error) => fail(error.message, error));
    socket.once('close', () => fail('the connection was closed during the handshake'));
  });
}
