import { readFileSync } from 'node:fs';
import type { Logger } from '@tsukube/apiserver';
import type { AuthorizerConfiguration } from './configuration.ts';

const checkEveryMs = 10_000;

/**
 * Configures by a file, and again whenever it has changed. Fails if the file is not good at first; later, what it said
 * before holds until it is. Types other than Webhook must stay as they were.
 */
export async function followConfigurationFile(
  file: string,
  configure: (all: readonly AuthorizerConfiguration[]) => Promise<void>,
  logger: Logger,
  everyMs = checkEveryMs,
): Promise<() => void> {
  const { parseAuthorizationConfiguration } = await import('./configuration-file.ts');
  let last = readFileSync(file);
  const first = await parseAuthorizationConfiguration(last);
  const types = new Set(first.map(({ type }) => type).filter((type) => type !== 'Webhook'));
  await configure(first);

  const check = async (): Promise<void> => {
    const data = readFileSync(file);
    if (data.equals(last)) return;
    last = data;
    const next = await parseAuthorizationConfiguration(data);
    const missing = [...types].filter((type) => !next.some((one) => one.type === type));
    if (missing.length > 0) throw new Error(`missing required types: [${missing.sort().join(' ')}]`);
    await configure(next);
    logger.info('the authorization configuration was read anew', { file });
  };
  const complain = (error: unknown) =>
    logger.error('the authorization configuration could not be read anew', { file, error: String(error) });
  const timer = setInterval(() => void check().catch(complain), everyMs).unref();
  return () => clearInterval(timer);
}
