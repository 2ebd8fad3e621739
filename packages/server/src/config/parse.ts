import { readCommandLine } from './command-line.ts';
import { completeOptions } from './complete.ts';
import { BadValue, type Flag } from './flag.ts';
import { flags } from './flags.ts';
import type { GivenOptions, OptionName, ServeOptions } from './options.ts';
import { fromEnvironment, fromFile, type Given, type Source } from './sources.ts';
import { UsageError } from './usage-error.ts';

/**
 * The settings of `tsukube serve`: what the command line says, else the environment, else the file that --config names,
 * else the default. Gives 'help' or 'version' if that was asked for. Fails with UsageError.
 */
export async function parseServeOptions(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ServeOptions | 'help' | 'version'> {
  const commandLine = readCommandLine(argv);
  if (commandLine.help) return 'help';
  if (commandLine.version) return 'version';
  const path = commandLine.config ?? env.TSUKUBE_CONFIG;
  const file = path ? await fromFile(path) : new Map();
  const given = merged([file, fromEnvironment(env), commandLine.source]);
  return completeOptions({ dataDir: '.tsukube', ...valuesOf(given) });
}

function merged(sources: readonly Source[]): Source {
  return new Map(sources.flatMap((source) => [...source]));
}

function valuesOf(source: Source): GivenOptions {
  return Object.fromEntries([...source].map(([option, given]) => [option, parsed(option, given)]));
}

function parsed(option: OptionName, { place, texts }: Given): unknown {
  const flag = flags[option] as Flag<unknown>;
  try {
    return flag.parse(texts);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    const shown = flag.accumulates ? texts.join() : texts.at(-1);
    throw new UsageError(`${place}: ${JSON.stringify(shown)} ${error.message}`);
  }
}
