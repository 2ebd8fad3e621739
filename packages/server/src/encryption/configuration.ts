import {
  GoDurationError,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
  parseGoDuration,
  parseYaml,
  textIn,
  textsIn,
} from '@tsukube/machinery';

/** A key of a local provider. `secret` is in base64. */
export interface EncryptionKey {
  readonly name: string;
  readonly secret: string;
}

export interface KmsConfiguration {
  readonly apiVersion: string;
  readonly name: string;
  readonly endpoint: string;
  /** Nanoseconds. */
  readonly timeout: bigint;
  readonly cachesize?: number;
}

export interface KeysConfiguration {
  readonly keys?: readonly EncryptionKey[];
}

export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration;
  readonly aescbc?: KeysConfiguration;
  readonly secretbox?: KeysConfiguration;
  readonly identity?: object;
  readonly kms?: KmsConfiguration;
}

export interface ResourceConfiguration {
  readonly resources: readonly string[];
  readonly providers: readonly ProviderConfiguration[];
}

/** The type of a field with its Go name. */
type Shape =
  | { readonly go: string; readonly of: 'string' | 'number' }
  | { readonly go: string; readonly of: 'list'; readonly items: Shape }
  | { readonly go: string; readonly of: 'object'; readonly fields: Readonly<Record<string, Shape>> };

const text: Shape = { go: 'string', of: 'string' };
const list = (items: Shape): Shape => ({ go: `[]${items.of === 'object' ? 'v1.' : ''}${items.go}`, of: 'list', items });
const object = (go: string, fields: Readonly<Record<string, Shape>>): Shape => ({ go, of: 'object', fields });

const keys = { keys: list(object('Key', { name: text, secret: text })) };
const provider = object('ProviderConfiguration', {
  aesgcm: object('AESConfiguration', keys),
  aescbc: object('AESConfiguration', keys),
  secretbox: object('SecretboxConfiguration', keys),
  identity: object('IdentityConfiguration', {}),
  kms: object('KMSConfiguration', {
    apiVersion: text,
    name: text,
    cachesize: { go: 'int32', of: 'number' },
    endpoint: text,
    timeout: text,
  }),
});
const configuration = object('EncryptionConfiguration', {
  kind: text,
  apiVersion: text,
  resources: list(object('ResourceConfiguration', { resources: list(text), providers: list(provider) })),
});

const kinds = ['apiserver.config.k8s.io/v1 EncryptionConfiguration', 'v1 EncryptionConfig'];

/** Reads YAML or JSON strictly. Throws an Error with kube-apiserver's message. Messages never contain values of the file. */
export async function parseEncryptionConfiguration(data: Uint8Array): Promise<readonly ResourceConfiguration[]> {
  const { value, duplicates } = await parseYaml(data);
  if (!isObject(value)) throw new Error("couldn't get version/kind; the configuration is not an object");
  const { kind, apiVersion } = value;
  if (kind === undefined || kind === '') throw new Error("Object 'Kind' is missing");
  if (!kinds.includes(`${String(apiVersion)} ${String(kind)}`))
    throw new Error(`no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))}`);
  const unknown: string[] = [];
  check(value, configuration, '', '', '', unknown);
  const problems = [...duplicates, ...unknown];
  if (problems.length > 0) throw new Error(`strict decoding error: ${problems.join(', ')}`);
  return objectsIn(value, 'resources').map((each) => ({
    resources: textsIn(each, 'resources'),
    providers: objectsIn(each, 'providers').map(providerOf),
  }));
}

/** Drops null members and applies the defaults of KMS providers. */
function providerOf(given: JsonObject): ProviderConfiguration {
  const present = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  return isObject(present.kms) ? { ...present, kms: kmsOf(present.kms) } : present;
}

const defaultTimeout = '3s';
const defaultCacheSize = 1000;

function kmsOf(kms: JsonObject): KmsConfiguration {
  const version = textIn(kms, 'apiVersion') || 'v1';
  const size = kms.cachesize ?? (version === 'v1' ? defaultCacheSize : undefined);
  return {
    apiVersion: version,
    name: textIn(kms, 'name'),
    endpoint: textIn(kms, 'endpoint'),
    timeout: durationOf(typeof kms.timeout === 'string' ? kms.timeout : defaultTimeout),
    ...(size !== undefined && { cachesize: size as number }),
  };
}

function durationOf(given: string): bigint {
  try {
    return parseGoDuration(given);
  } catch (error) {
    if (error instanceof GoDurationError) throw new Error(error.message);
    throw error;
  }
}

/** `path` includes list indexes, `goPath` does not. */
function check(value: JsonValue, shape: Shape, path: string, goPath: string, owner: string, unknown: string[]): void {
  if (value === null) return;
  const found = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
  if (found !== (shape.of === 'list' ? 'array' : shape.of))
    throw new Error(`json: cannot unmarshal ${found} into Go struct field ${owner}.${goPath} of type ${goType(shape)}`);
  if (shape.of === 'list')
    for (const [i, item] of (value as JsonValue[]).entries()) check(item, shape.items, `${path}[${i}]`, goPath, owner, unknown);
  if (shape.of !== 'object') return;
  for (const [name, inner] of Object.entries(value as JsonObject)) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    const within = (outer: string) => (outer === '' ? name : `${outer}.${name}`);
    if (field) check(inner as JsonValue, field, within(path), within(goPath), shape.go, unknown);
    else unknown.push(`unknown field "${within(path)}"`);
  }
}

function goType(shape: Shape): string {
  return shape.of === 'object' ? `v1.${shape.go}` : shape.go;
}
