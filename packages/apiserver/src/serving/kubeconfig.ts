import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KeyPair } from '@tsukube/machinery/pki';
import { replaceFile } from './atomic-file.ts';

export interface KubeconfigContent {
  readonly url: string;
  /** CAs of the server in PEM. */
  readonly ca: string;
  readonly client: KeyPair;
}

/** The URL for clients on this machine: unspecified addresses cannot be connected to on all systems. */
export function localUrl(bindAddress: string, port: number): string {
  return `https://${localHost(bindAddress)}:${port}`;
}

function localHost(bindAddress: string): string {
  if (bindAddress === '0.0.0.0') return '127.0.0.1';
  if (bindAddress === '::') return 'localhost';
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
}

/** A self-contained kubeconfig with one cluster, user and context. */
export function renderKubeconfig({ url, ca, client }: KubeconfigContent): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: tsukube
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(ca)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(client.certificate)}
    client-key-data: ${base64(client.key)}
contexts:
- name: tsukube
  context:
    cluster: tsukube
    user: admin
current-context: tsukube
preferences: {}
`;
}

/** Throws if the file exists and was not written by the server. */
export function checkKubeconfigPath(path: string): void {
  const text = readIfThere(path);
  if (text === undefined || text === '' || isRendered(text)) return;
  throw new Error(
    `--kubeconfig-out: ${path} was not written by this server and is not replaced: remove it, or choose another file`,
  );
}

/** A file was written by the server if rendering its values gives the same text. */
function isRendered(text: string): boolean {
  // regex: reads a file named by a flag.
  const data = (name: string) => new RegExp(`^ +${name}: (\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const decoded = (name: string) => Buffer.from(data(name), 'base64').toString('utf8');
  const client = { certificate: decoded('client-certificate-data'), key: decoded('client-key-data') };
  return text === renderKubeconfig({ url: data('server'), ca: decoded('certificate-authority-data'), client });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function writeKubeconfig(path: string, text: string): void {
  checkKubeconfigPath(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile({ path, content: text, mode: 0o600 });
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
