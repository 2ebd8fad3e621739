import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { createSecureContext } from 'node:tls';
import { goRegExpProblem } from '@tsukube/machinery';
import { BadValue, type Flag } from './flag.ts';
import { choice, decimal, duration, inputFile, integer, optionalText, text, texts, toggle, wholeNumber } from './flag-types.ts';
import { cipherSuites, curveNames } from './tls-settings.ts';

const group = 'Serving';

export interface SniCertKey {
  readonly cert: string;
  readonly key: string;
  readonly names: readonly string[];
}

/** Repeated flag: the values contain commas. */
const sniCertKey: Flag<readonly string[]> = {
  group,
  placeholder: 'CERT,KEY[:NAME,…]',
  help: 'Certificate and key for clients that ask for one of the names, or for one in the certificate; may be repeated.',
  fallback: [],
  accumulates: true,
  parse: (texts) => texts.filter((given) => given !== ''),
  check: (values) => firstProblem(values, sniProblem),
};

const mostWorkers = 64;

/** `auto` is the number of cores. */
const workerCount: Flag<number> = {
  ...integer({
    group,
    origin: 'tsukube',
    fallback: 1,
    min: 1,
    max: mostWorkers,
    placeholder: 'N|auto',
    help: 'Number of processes that serve the port and the embedded database together, or auto for one per core. One of them writes. Only with --storage lmdb.',
  }),
  parse: (texts) => (texts.at(-1) === 'auto' ? Math.min(availableParallelism(), mostWorkers) : wholeNumber(texts.at(-1) ?? '')),
};

export const servingFlags = {
  workers: workerCount,
  bindAddress: text({
    group,
    fallback: '127.0.0.1',
    placeholder: 'IP',
    help: 'Address to listen on; 0.0.0.0 or :: for all interfaces.',
    check: notAnAddress,
  }),
  securePort: integer({
    group,
    fallback: 6443,
    min: 0,
    max: 65535,
    placeholder: 'PORT',
    help: 'Port to serve HTTPS on; 0 takes any free one.',
  }),
  advertiseAddress: optionalText({
    group,
    placeholder: 'IP',
    fallbackText: 'the bind address, or the first of this host',
    help: 'Address advertised to clients.',
    check: (value) => (value === undefined ? undefined : notAnAddress(value)),
  }),
  externalHostname: optionalText({
    group,
    placeholder: 'HOST',
    fallbackText: 'the advertised address',
    help: 'Host, with or without a port, used in URLs of this server in discovery and OpenID documents.',
  }),
  permitPortSharing: toggle({
    group,
    fallback: false,
    help: 'Listen with SO_REUSEPORT, so that several processes share the port. Needs Node 22.12.',
    check: (value) => (value && !canSharePorts() ? `needs Node 22.12, this is ${process.version}` : undefined),
  }),
  tlsCertFile: inputFile({
    group,
    fallbackText: 'generated on first start',
    help: 'Serving certificate in PEM form, followed by its intermediates. Reloaded when it changes.',
  }),
  tlsPrivateKeyFile: inputFile({ group, help: 'Private key of --tls-cert-file.' }),
  tlsSniCertKey: sniCertKey,
  certDir: optionalText({
    group,
    placeholder: 'DIR',
    fallbackText: 'pki in the data dir',
    help: 'Directory of certificates and keys; apiserver.crt and apiserver.key in it are the serving certificate.',
  }),
  tlsMinVersion: choice({
    group,
    of: ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
    fallback: 'VersionTLS12',
    placeholder: 'VERSION',
    help: 'Minimum TLS version: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.',
  }),
  tlsCipherSuites: texts({
    group,
    help: 'Cipher suites for TLS 1.2 and older, by their IANA names.',
    check: (names) =>
      firstProblem(names, (name) => (Object.hasOwn(cipherSuites, name) ? undefined : `has the unknown name ${name}`)),
  }),
  tlsCurvePreferences: texts({
    group,
    placeholder: 'ID,…',
    help: 'Curves for key exchange by their TLS numbers, such as 29 for X25519 and 23 for P-256.',
    check: (ids) => firstProblem(ids, curveProblem),
  }),
  disableHttp2Serving: toggle({ group, fallback: false, help: 'Serve HTTP/1.1 only.' }),
  http2MaxStreamsPerConnection: integer({
    group,
    fallback: 0,
    min: 0,
    max: 2 ** 31 - 1,
    help: 'Maximum number of streams on one HTTP/2 connection; 0 for the default of 100.',
  }),
  goawayChance: decimal({
    group,
    fallback: 0,
    min: 0,
    max: 0.02,
    help: 'Share of requests after which an HTTP/2 client is asked to reconnect, so that load spreads over replicas.',
  }),
  corsAllowedOrigins: texts({
    group,
    placeholder: 'REGEX,…',
    help: 'Allowed CORS origins, as regular expressions that pin both ends of the host: //example\\.com(:|$).',
    check: (origins) => firstProblem(origins, originProblem),
  }),
  strictTransportSecurityDirectives: texts({
    group,
    placeholder: 'DIRECTIVE,…',
    help: 'Directives of the Strict-Transport-Security header: max-age=SECONDS, includeSubDomains, preload.',
    check: (directives) =>
      directives.every((directive) => /^(includeSubDomains|preload|max-age=[^=]*)$/.test(directive))
        ? undefined
        : 'invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
  }),
  shutdownDelayDuration: duration({
    group,
    fallback: 0,
    help: 'Time to keep serving after a signal, while /readyz already fails.',
  }),
  shutdownSendRetryAfter: toggle({
    group,
    fallback: false,
    help: 'After the delay, answer new requests with 429 and Retry-After until those in flight are done, then close the port.',
  }),
  shutdownWatchTerminationGracePeriod: duration({
    group,
    fallback: 0,
    help: 'Spread the end of watches over this time, so that clients do not all reconnect at once.',
  }),
};

/** `CERT,KEY` or `CERT,KEY:NAME,…`. Throws BadValue. */
export function parseSniCertKey(value: string): SniCertKey {
  const [files = '', names] = value.split(/:(.*)/s).map((part) => part.trim());
  if (names === '') throw new BadValue('empty names list is not allowed');
  const [cert, key, ...more] = files.split(',').map((file) => file.trim());
  if (!cert || !key || more.length > 0) throw new BadValue('expected comma separated certificate and key file paths');
  return { cert, key, names: names === undefined ? [] : names.split(',').map((name) => name.trim()) };
}

function sniProblem(value: string): string | undefined {
  try {
    const { cert, key } = parseSniCertKey(value);
    return firstProblem([cert, key], (path) => inputFile({ group, help: '' }).check?.(path) && `"${path}" cannot be read`);
  } catch (error) {
    return (error as Error).message;
  }
}

function curveProblem(id: string): string | undefined {
  const curve = Object.hasOwn(curveNames, id) ? curveNames[id] : undefined;
  if (curve === undefined) return `has the unknown curve ${id}`;
  try {
    createSecureContext({ ecdhCurve: curve });
    return undefined;
  } catch {
    return `has ${id} (${curve}), which this Node does not have`;
  }
}

/** An unanchored expression would also match example.com.evil.org. */
function originProblem(expression: string): string | undefined {
  const problem = goRegExpProblem(expression);
  if (problem !== undefined) return `has an invalid regular expression: ${problem}`;
  const pinned = /\^|\/\//.test(expression) && /\$|:/.test(expression);
  return pinned
    ? undefined
    : 'has an invalid regular expression: regular expression does not pin to start/end of host in the origin header';
}

function canSharePorts(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
}

function notAnAddress(value: string): string | undefined {
  return isIP(value) === 0 ? 'is not an IP address' : undefined;
}

export function firstProblem<T>(values: readonly T[], problem: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = problem(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
