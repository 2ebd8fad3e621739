import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@tsukube/apiserver';

/** Names that the server creates in a data dir, with or without a suffix after a dot. */
const ownNames = ['server.lock', 'data', 'pki', 'logs', 'admin.kubeconfig', 'tsukube'];
const forOthers = 0o077;
const sticky = 0o1000;

/**
 * Restricts an existing data dir and its files to the owner, because they hold keys and secrets. A folder with other content, or
 * of another owner, may be shared on purpose: that is only logged.
 */
export function restrictDataDir(path: string, logger: Logger): void {
  if (process.platform === 'win32' || !isOpen(lstatSync(path))) return;
  const entries = readdirSync(path).filter((name) => isOwnName(name));
  if (entries.length < readdirSync(path).length) warn(path, 'it holds other files', logger);
  else for (const each of [path, ...entries.map((name) => join(path, name))]) restrict(each, logger);
}

function restrict(path: string, logger: Logger): void {
  const found = lstatSync(path);
  if (!isOpen(found) || found.isSymbolicLink()) return;
  const mode = found.mode & 0o700;
  try {
    chmodSync(path, mode);
    logger.info('permissions restricted to the owner', { path, before: octal(found), mode: mode.toString(8) });
  } catch (error) {
    warn(path, String(error), logger);
  }
}

function isOpen({ mode }: Stats): boolean {
  return (mode & forOthers) !== 0 && (mode & sticky) === 0;
}

function isOwnName(name: string): boolean {
  return ownNames.some((own) => name === own || name.startsWith(`${own}.`));
}

function warn(path: string, why: string, logger: Logger): void {
  logger.warn('the data dir is accessible to other users; its mode should be 0700', { path, mode: octal(lstatSync(path)), why });
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8);
}
