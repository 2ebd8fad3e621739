import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { isObject, type JsonObject, objectIn, objectsIn, parseJson, textIn, textsIn } from '@tsukube/machinery';
import { type ClientCertificate, type Credentials, KubeconfigError } from './cluster-config.ts';

/** Plugins that never end are stopped. */
const pluginTimeoutMs = 60_000;
const maxOutputBytes = 1 << 20;
const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

interface Issued {
  readonly token: string;
  readonly certificate: ClientCertificate | undefined;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/**
 * Credentials of an exec plugin. Its answer is cached until it expires or the server refuses it; requests that need it at
 * the same time run the plugin once.
 */
export function execCredentials(exec: JsonObject, cluster: JsonObject, folder: string, now = Date.now): Credentials {
  const version = textIn(exec, 'apiVersion');
  if (!versions.includes(version)) throw new KubeconfigError(`exec plugins of version "${version}" are not supported`);
  if (textIn(exec, 'command') === '') throw new KubeconfigError('the exec plugin has no command');
  let issued: Issued | undefined;
  let running: Promise<Issued> | undefined;
  const current = (): Issued | Promise<Issued> => {
    if (issued !== undefined && now() < issued.expires) return issued;
    running ??= runPlugin(exec, cluster, folder).then((output) => (issued = issuedBy(output, version)));
    const run = running;
    const clear = () => {
      if (running === run) running = undefined;
    };
    run.then(clear, clear);
    return run;
  };
  return {
    authorization: async () => {
      const { token } = await current();
      return token === '' ? undefined : `Bearer ${token}`;
    },
    certificate: async () => (await current()).certificate,
    refresh: () => {
      issued = undefined;
      return true;
    },
  };
}

function issuedBy(output: Buffer, version: string): Issued {
  const credential = parseCredential(output);
  if (textIn(credential, 'apiVersion') !== version)
    throw new KubeconfigError(
      `the exec plugin is configured for ${version} but returned version ${textIn(credential, 'apiVersion')}`,
    );
  const status = objectIn(credential, 'status');
  const [token, cert, key] = [textIn(status, 'token'), textIn(status, 'clientCertificateData'), textIn(status, 'clientKeyData')];
  if (token === '' && cert === '') throw new KubeconfigError('the exec plugin returned neither a token nor a certificate');
  if ((cert === '') !== (key === '')) throw new KubeconfigError('the exec plugin returned a certificate or a key alone');
  const expires = Date.parse(textIn(status, 'expirationTimestamp'));
  return {
    token,
    certificate: cert === '' ? undefined : { cert, key },
    expires: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires,
  };
}

function parseCredential(output: Buffer): JsonObject {
  try {
    const { value } = parseJson(output);
    if (isObject(value)) return value;
  } catch {}
  throw new KubeconfigError('the exec plugin did not return a JSON object');
}

function runPlugin(exec: JsonObject, cluster: JsonObject, folder: string): Promise<Buffer> {
  const command = textIn(exec, 'command');
  const env: NodeJS.ProcessEnv = { ...process.env, KUBERNETES_EXEC_INFO: execInfo(exec, cluster) };
  for (const { name, value } of objectsIn(exec, 'env')) if (typeof name === 'string') env[name] = String(value ?? '');
  return new Promise((answer, reject) => {
    const fail = (message: string, cause?: unknown) => {
      const hint = textIn(exec, 'installHint');
      reject(new KubeconfigError(`exec plugin ${command}: ${message}${hint && `\n${hint}`}`, { cause }));
    };
    const child = spawn(commandPath(command, folder), [...textsIn(exec, 'args')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: pluginTimeoutMs,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxOutputBytes) child.kill();
      else chunks.push(chunk);
    });
    child.on('error', (error) => fail(error.message, error));
    child.on('close', (code, signal) =>
      code === 0 ? answer(Buffer.concat(chunks)) : fail(signal ? `stopped by ${signal}` : `exit code ${code}`),
    );
  });
}

/** A command with a slash is relative to the folder of the kubeconfig; others are found in PATH. */
function commandPath(command: string, folder: string): string {
  return command.includes('/') ? resolve(folder, command) : command;
}

function execInfo(exec: JsonObject, cluster: JsonObject): string {
  const { server, 'tls-server-name': name, 'insecure-skip-tls-verify': insecure, 'certificate-authority-data': ca } = cluster;
  const described = {
    server,
    'tls-server-name': name,
    'insecure-skip-tls-verify': insecure,
    'certificate-authority-data': ca,
    config: objectsIn(cluster, 'extensions').find((each) => each?.name === 'client.authentication.k8s.io/exec')?.extension,
  };
  const spec = { interactive: false, ...(exec.provideClusterInfo === true && { cluster: described }) };
  return JSON.stringify({ apiVersion: exec.apiVersion, kind: 'ExecCredential', spec });
}
