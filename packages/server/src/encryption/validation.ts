import { FieldErrors, type FieldPath, formatGoDuration, parseGroupResource, path } from '@tsukube/machinery';
import type { KeysConfiguration, KmsConfiguration, ProviderConfiguration, ResourceConfiguration } from './configuration.ts';

const aesKeySizes = [16, 24, 32];
const boxKeySizes = [32];

/** kube-apiserver's validation. With `reload`, names of KMS v1 providers must be unique as well. */
export function encryptionConfigurationErrors(configuration: readonly ResourceConfiguration[], reload: boolean): FieldErrors {
  const errors = new FieldErrors();
  const root = path('resources');
  if (configuration.length === 0) errors.required(root, 'at least one resources is required');
  const kmsNames = new Set<string>();
  for (const [i, { resources, providers }] of configuration.entries()) {
    const at = root.index(i);
    checkResources(resources, at.child('resources'), errors);
    if (providers.length === 0) errors.required(at.child('providers'), `at least one ${at.child('providers')} is required`);
    for (const [j, provider] of providers.entries())
      checkProvider(provider, at.child('providers').index(j), kmsNames, reload, errors);
  }
  return errors;
}

function checkResources(resources: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (resources.length === 0) errors.required(at, `at least one ${at} is required`);
  if (new Set(resources.map((resource) => resource.replace(/\.$/, ''))).size < resources.length)
    errors.invalid(at, [...resources], 'the same resource cannot be specified multiple times');
  if (overlap(resources))
    errors.invalid(
      at,
      [...resources],
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
    );
  for (const [i, resource] of resources.entries()) {
    const problem = nameProblem(resource);
    if (problem !== undefined) errors.invalid(at.index(i), resource, problem);
  }
}

/** Rejects a wildcard that covers another resource of the list. */
function overlap(resources: readonly string[]): boolean {
  if (resources.length < 2) return false;
  const parsed = resources.map(parseGroupResource);
  if (parsed.some(({ group, resource }) => group === '*' && resource === '*')) return true;
  const sizes = new Map<string, number>();
  for (const { group } of parsed) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return parsed.some(({ group, resource }) => resource === '*' && (sizes.get(group) as number) > 1);
}

const withoutApi = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'];

function nameProblem(name: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (withoutApi.includes(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseGroupResource(name);
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function checkProvider(
  provider: ProviderConfiguration,
  at: FieldPath,
  kmsNames: Set<string>,
  reload: boolean,
  errors: FieldErrors,
): void {
  const { kms, aesgcm, aescbc, secretbox, identity } = provider;
  const given = [kms, aesgcm, aescbc, secretbox, identity].filter((each) => each !== undefined).length;
  if (given === 0)
    errors.invalid(
      at,
      { AESGCM: null, AESCBC: null, Secretbox: null, Identity: null, KMS: null },
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    );
  // kube-apiserver prints the secrets here.
  if (given > 1)
    errors.invalid(
      at,
      'REDACTED',
      'more than one provider specified in a single element, should split into different list elements',
    );
  if (kms) {
    checkKms(kms, at.child('kms'), kmsNames, reload, errors);
    kmsNames.add(kms.name);
  } else if (aesgcm) checkKeys(aesgcm, at.child('aesgcm', 'keys'), aesKeySizes, errors);
  else if (aescbc) checkKeys(aescbc, at.child('aescbc', 'keys'), aesKeySizes, errors);
  else if (secretbox) checkKeys(secretbox, at.child('secretbox', 'keys'), boxKeySizes, errors);
}

function checkKeys({ keys = [] }: KeysConfiguration, at: FieldPath, sizes: readonly number[], errors: FieldErrors): void {
  if (keys.length === 0) errors.required(at, 'at least one keys is required');
  for (const [i, { name, secret }] of keys.entries()) {
    if (!name) errors.required(at.index(i).child('name'), 'name is a mandatory field for a key');
    if (!secret) errors.required(at.index(i).child('secret'), 'secret is a mandatory field for a key');
    else {
      const problem = secretProblem(secret, sizes);
      if (problem !== undefined) errors.invalid(at.index(i).child('secret'), 'REDACTED', problem);
    }
  }
}

function secretProblem(secret: string, sizes: readonly number[]): string | undefined {
  const key = decodeSecret(secret);
  if (!key) return 'secrets must be base64 encoded';
  if (sizes.includes(key.length)) return undefined;
  return `secret is not of the expected length, got ${key.length}, expected one of [${sizes.join(' ')}]`;
}

/** Standard base64 with padding; like Go, ignores line breaks. Undefined if invalid. */
export function decodeSecret(secret: string): Buffer | undefined {
  const compact = secret.replace(/[\r\n]/g, '');
  const isBase64 = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return isBase64 ? Buffer.from(compact, 'base64') : undefined;
}

function checkKms(kms: KmsConfiguration, at: FieldPath, names: ReadonlySet<string>, reload: boolean, errors: FieldErrors): void {
  const { apiVersion, name, timeout, cachesize } = kms;
  const isV1 = apiVersion === 'v1';
  if (name === '') errors.required(at.child('name'), 'name is a mandatory field for a provider');
  if (!isV1 && name.includes(':'))
    errors.invalid(at.child('name'), name, `invalid KMS provider name ${name}, must not contain ':'`);
  if ((reload || !isV1) && names.has(name))
    errors.invalid(at.child('name'), name, `duplicate KMS provider name ${name}, names must be unique`);
  if (timeout <= 0n) errors.invalid(at.child('timeout'), formatGoDuration(timeout), 'timeout should be a positive value');
  const problem = endpointProblem(kms.endpoint);
  if (problem !== undefined) errors.invalid(at.child('endpoint'), kms.endpoint, problem);
  if (!isV1 && cachesize !== undefined) errors.invalid(at.child('cachesize'), cachesize, 'cachesize is not supported in v2');
  if (isV1 && cachesize === 0)
    errors.invalid(at.child('cachesize'), 0, 'cachesize should be a positive value, or negative to disable');
  if (!isV1 && apiVersion !== 'v2')
    errors.invalid(
      at.child('apiVersion'),
      apiVersion,
      'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    );
}

function endpointProblem(endpoint: string): string | undefined {
  if (endpoint === '') return 'endpoint is a mandatory field for a kms';
  const badEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(endpoint)?.[0];
  if (badEscape !== undefined)
    return `invalid endpoint for kms provider, error: parse "${endpoint}": invalid URL escape "${badEscape}"`;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? '';
  return scheme === 'unix' ? undefined : `unsupported scheme "${scheme}" for KMS provider, only unix is supported`;
}

/** Socket path of a valid endpoint; `@name` for the abstract namespace. */
export function socketOf(endpoint: string): string {
  // regex: reads the encryption configuration file.
  const path = decodeURIComponent(endpoint.replace(/^[^:]*:(\/\/[^/]*)?/, '').replace(/[?#].*$/, ''));
  return path.startsWith('/@') ? path.slice(1) : path;
}
