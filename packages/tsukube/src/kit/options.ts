import { type GivenOptions, type OptionType, optionTypes, suggestion, UsageError, valueComplaint } from '@tsukube/server/config';
import { type Manifest, type ServerLogger, type StartServerOptions, TsukubeOptionError } from '../index.ts';

export interface CheckedOptions {
  readonly crds: Manifest;
  readonly manifests: Manifest;
  readonly logger: ServerLogger | undefined;
  readonly serve: GivenOptions;
  /** Whether a controller creates the default ServiceAccount of new namespaces. */
  readonly createsAccounts: boolean;
}

/** Checks types too: the options may come from plain JavaScript. Throws TsukubeOptionError. */
export function checkOptions(options: StartServerOptions): CheckedOptions {
  if (!isRecord(options as unknown))
    throw new TsukubeOptionError('', `startServer takes an object with options, not ${shown(options)}`);
  const { crds = [], manifests = [], logger, ...serve } = options;
  checkManifest('crds', crds);
  checkManifest('manifests', manifests);
  checkLogger(logger);
  const types = new Map<string, OptionType>(optionTypes().map((type) => [type.name, type]));
  for (const [name, value] of Object.entries(serve)) checkServeOption(types, name, value);
  return {
    crds,
    manifests,
    logger,
    serve: { ...defaults, storage: defaultStorage(serve), ...withoutUndefined(serve) },
    createsAccounts: createsAccounts(serve.controllers ?? ['*']),
  };
}

/** Rewrites a UsageError, which names flags, in terms of options. Other errors are unchanged. */
export function asOptionError(error: unknown): unknown {
  if (!(error instanceof UsageError)) return error;
  const names = new Set<string>(optionTypes().map(({ name }) => name));
  let option = '';
  const message = error.message.replace(/--([a-z][a-z0-9-]*)/g, (flag, dashed: string) => {
    const name = camelCase(dashed);
    if (!names.has(name)) return flag;
    option ||= name;
    return name;
  });
  return new TsukubeOptionError(option, message, error);
}

function createsAccounts(controllers: readonly string[]): boolean {
  const named = controllers.find((name) => /^-?serviceaccount(-controller)?$/.test(name));
  return named === undefined ? controllers.includes('*') : !named.startsWith('-');
}

/** Generating an RSA key takes longer than the rest of the start, and all TypeScript clients support EC keys. */
const defaults: GivenOptions = { securePort: 0, clientKeyAlgorithm: 'ecdsa' };

/** Used unless an option selects another storage. */
function defaultStorage({ etcdServers }: GivenOptions): 'memory' | undefined {
  return etcdServers === undefined || etcdServers.length === 0 ? 'memory' : undefined;
}

function checkServeOption(types: ReadonlyMap<string, OptionType>, name: string, value: unknown): void {
  const type = types.get(name);
  if (type === undefined) throw unknownOption(name, types);
  if (value === undefined) return;
  if (!isOfType[type.is](value)) throw new TsukubeOptionError(name, `${name} must be ${described(type)}, not ${shown(value)}`);
  const complaint = valueComplaint(type.name, value as never);
  if (complaint !== undefined) throw new TsukubeOptionError(name, `${name}: ${shown(value)} ${complaint}`);
}

const kitOptions = ['crds', 'manifests', 'logger'];

function unknownOption(name: string, types: ReadonlyMap<string, OptionType>): TsukubeOptionError {
  const meant = camelCase(name.replace(/^--/, ''));
  const near = types.has(meant) ? meant : (known[name] ?? suggestion(name, [...types.keys(), ...kitOptions]));
  return new TsukubeOptionError(name, `unknown option ${name}${near === undefined ? '' : `, did you mean ${near}?`}`);
}

/** Option names of other test servers. */
const known: Readonly<Record<string, string>> = { port: 'securePort', host: 'bindAddress', dir: 'dataDir' };

const isOfType: Readonly<Record<OptionType['is'], (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && !Number.isNaN(value),
  boolean: (value) => typeof value === 'boolean',
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'booleans by name': (value) => isRecord(value) && Object.values(value).every((each) => typeof each === 'boolean'),
  'strings by name': (value) => isRecord(value) && Object.values(value).every((each) => typeof each === 'string'),
};

const words: Readonly<Record<OptionType['is'], string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  strings: 'an array of strings',
  'booleans by name': 'an object of booleans',
  'strings by name': 'an object of strings',
};

function described({ is, of, milliseconds }: OptionType): string {
  if (of !== undefined) return `one of ${of.map((value) => JSON.stringify(value)).join(', ')}`;
  return milliseconds ? 'a number of milliseconds' : words[is];
}

function checkManifest(option: string, value: unknown): void {
  if (Array.isArray(value)) for (const [i, item] of value.entries()) checkManifest(`${option}[${i}]`, item);
  else if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) throw notAManifest(option, value);
}

function notAManifest(option: string, value: unknown): TsukubeOptionError {
  const [name = option] = option.split('[');
  return new TsukubeOptionError(name, `${option} must be a path, YAML text, an object or an array of these, not ${shown(value)}`);
}

function checkLogger(logger: unknown): void {
  if (logger === undefined || isRecord(logger)) return;
  throw new TsukubeOptionError('logger', `logger must be an object with functions such as error and warn, not ${shown(logger)}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const maxShown = 80;

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'bigint' ? `${value}n` : (safeJson(value) ?? String(value));
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function camelCase(dashed: string): string {
  return dashed.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
