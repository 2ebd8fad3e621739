import type { AuthenticationConfiguration } from '@tsukube/apiserver';
import { isObject, type JsonValue, parseYaml } from '@tsukube/machinery';

/** Type of a field: a string, a boolean, a list, or an object with these fields. */
type Shape = 'text' | 'truth' | { readonly list: Shape } | { readonly object: Readonly<Record<string, Shape>> };

const mapping: Shape = { object: { claim: 'text', prefix: 'text', expression: 'text' } };
const rule: Shape = { object: { claim: 'text', requiredValue: 'text', expression: 'text', message: 'text' } };
const jwt: Shape = {
  object: {
    issuer: {
      object: {
        url: 'text',
        discoveryURL: 'text',
        certificateAuthority: 'text',
        audiences: { list: 'text' },
        audienceMatchPolicy: 'text',
        egressSelectorType: 'text',
      },
    },
    claimValidationRules: { list: rule },
    claimMappings: {
      object: {
        username: mapping,
        groups: mapping,
        uid: { object: { claim: 'text', expression: 'text' } },
        extra: { list: { object: { key: 'text', valueExpression: 'text' } } },
      },
    },
    userValidationRules: { list: { object: { expression: 'text', message: 'text' } } },
  },
};
const configuration: Shape = {
  object: {
    kind: 'text',
    apiVersion: 'text',
    jwt: { list: jwt },
    anonymous: { object: { enabled: 'truth', conditions: { list: { object: { path: 'text' } } } } },
  },
};
const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);

/** Reads YAML or JSON strictly: throws on unknown fields, wrong types and duplicates. */
export async function parseAuthenticationConfiguration(text: string): Promise<AuthenticationConfiguration> {
  if (text === '') throw new Error('empty config data');
  const { value, duplicates } = await parseYaml(Buffer.from(text));
  if (!isObject(value)) throw new Error('the configuration is not an object');
  if (duplicates.length > 0) throw new Error(`strict decoding error: ${duplicates.join(', ')} already set`);
  const { kind, apiVersion } = value;
  if (kind !== 'AuthenticationConfiguration' || !versions.includes(String(apiVersion)))
    throw new Error(`no kind "${String(kind)}" is registered for version "${String(apiVersion)}"`);
  check(value, configuration, '');
  const { jwt: authenticators, anonymous } = value as unknown as Partial<AuthenticationConfiguration>;
  const complete = (authenticators ?? []).map((each) => ({
    ...each,
    issuer: each.issuer ?? {},
    claimMappings: each.claimMappings ?? {},
  }));
  return { jwt: complete as AuthenticationConfiguration['jwt'], ...(anonymous && { anonymous: withDefaults(anonymous) }) };
}

function withDefaults(anonymous: NonNullable<AuthenticationConfiguration['anonymous']>) {
  return { ...anonymous, enabled: anonymous.enabled ?? false };
}

function check(value: JsonValue, shape: Shape, at: string): void {
  if (value === null) return;
  if (shape === 'text' || shape === 'truth') {
    if (typeof value !== (shape === 'text' ? 'string' : 'boolean'))
      throw new Error(`${at} is not a ${shape === 'text' ? 'string' : 'boolean'}`);
  } else if ('list' in shape) {
    if (!Array.isArray(value)) throw new Error(`${at} is not a list`);
    for (const [i, item] of (value as JsonValue[]).entries()) check(item, shape.list, `${at}[${i}]`);
  } else checkObject(value, shape.object, at);
}

function checkObject(value: JsonValue, fields: Readonly<Record<string, Shape>>, at: string): void {
  if (!isObject(value)) throw new Error(`${at} is not an object`);
  for (const [name, inner] of Object.entries(value)) {
    const place = at === '' ? name : `${at}.${name}`;
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) throw new Error(`strict decoding error: unknown field "${place}"`);
    check(inner, known, place);
  }
}
