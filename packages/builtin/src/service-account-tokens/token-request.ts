import { randomUUID } from 'node:crypto';
import {
  type ActionKind,
  actionSubresource,
  decodeObject,
  type ResourceRequest,
  type Signer,
  type Subresource,
} from '@tsukube/apiserver';
import {
  definedFields,
  ensureObject,
  FieldErrors,
  formatTime,
  type JsonObject,
  metadataOf,
  numberIn,
  objectIn,
  parseApiVersion,
  path,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { type BoundReference, boundClaims, credentialIdOf, type PrivateClaims } from './claims.ts';

export interface TokenIssuer {
  readonly issuer: string;
  readonly signer: Signer;
  readonly apiAudiences: readonly string[];
  /** 0 for no limit. */
  readonly maxExpirationSeconds: number;
  /** Whether pods with default volumes get tokens that stay valid for a year (--service-account-extend-token-expiration). */
  readonly extendExpiration: boolean;
}

const group = 'authentication.k8s.io';
const defaultSeconds = 60 * 60;
const kind: ActionKind = {
  group,
  version: 'v1',
  kind: 'TokenRequest',
  schema: schemaOf('authentication.v1.TokenRequest'),
  answered: true,
  keepsMetadata: true,
  applyDefaults(body) {
    const spec = ensureObject(body, 'spec');
    spec.expirationSeconds ??= defaultSeconds;
  },
};
/** expirationSeconds of the volumes that admission adds; recognizes them. */
const projectedSeconds = 60 * 60 + 7;
const extendedSeconds = 365 * 24 * 60 * 60;

/** POST …/serviceaccounts/NAME/token. */
export function tokenRequests(issuer: TokenIssuer | undefined): Subresource {
  return actionSubresource(kind, async (request, body, _context, validateAdmission) => {
    if (!issuer) throw StatusError.methodNotSupported({ group: '', resource: 'serviceaccounts/token' }, 'create');
    const account = await accountOf(request, body);
    const requested = requestedTerms(body, issuer);
    const now = request.objects.services.now();
    const metadata = { ...metadataOf(body), ...namesOf(account), creationTimestamp: formatTime(now) };
    validate(requested.expirationSeconds);
    const { audiences } = requested;
    await validateAdmission({ ...body, metadata, spec: { ...objectIn(body, 'spec'), audiences: [...audiences] } });
    const bound = await boundTo(request, objectIn(objectIn(body, 'spec'), 'boundObjectRef'));
    const expirationSeconds = limited(requested.expirationSeconds, issuer, request);
    const terms = { ...requested, ...bound, ...lifetime(expirationSeconds, requested.audiences, bound, issuer, now) };
    const id = randomUUID();
    const issuedAt = Math.floor(now / 1000);
    const owner = { namespace: request.info.namespace, account: referenceOf(account) };
    const token = issuer.signer.sign(boundClaims({ ...terms, ...owner, id, issuedAt }, issuer.issuer));
    request.annotate('authentication.kubernetes.io/issued-credential-id', credentialIdOf(id));
    const ref = objectIn(objectIn(body, 'spec'), 'boundObjectRef') ?? null;
    return {
      kind: 'TokenRequest',
      apiVersion: `${group}/v1`,
      metadata: inFieldOrder(metadata),
      spec: { audiences: [...requested.audiences], expirationSeconds, boundObjectRef: ref },
      status: { token, expirationTimestamp: formatTime(now + expirationSeconds * 1000) },
    };
  });
}

function namesOf(object: JsonObject): JsonObject {
  const { name, namespace, uid } = metadataOf(object);
  return definedFields({ name, namespace, uid });
}

function inFieldOrder({ name, namespace, uid, creationTimestamp, ...rest }: JsonObject): JsonObject {
  return definedFields({ name, namespace, uid, creationTimestamp, ...rest });
}

async function accountOf(request: ResourceRequest, body: JsonObject): Promise<JsonObject> {
  const { name, namespace } = request.info;
  const requested = objectIn(body, 'metadata');
  mustMatch('name', textIn(requested, 'name'), name, name);
  mustMatch('namespace', textIn(requested, 'namespace'), namespace, name);
  const account = await objectNamed(request, 'serviceaccounts', namespace, name);
  const [uid, requestedUid] = [referenceOf(account).uid, textIn(requested, 'uid')];
  if (requestedUid !== '' && requestedUid !== uid) {
    const reason = `the UID in the token request (${requestedUid}) does not match the UID of the service account (${uid})`;
    throw StatusError.conflict({ group, resource: 'TokenRequest' }, name, reason);
  }
  return account;
}

function mustMatch(field: 'name' | 'namespace', value: string, expected: string, name: string): void {
  if (value === '' || value === expected) return;
  const errors = new FieldErrors();
  errors.invalid(path('metadata', field), value, `must match the service account ${field} if specified`);
  throw StatusError.invalid({ group, kind: 'TokenRequest' }, name, errors);
}

interface RequestedTerms {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

function requestedTerms(body: JsonObject, { apiAudiences }: TokenIssuer): RequestedTerms {
  const spec = objectIn(body, 'spec');
  const audiences = textsIn(spec, 'audiences');
  return { audiences: audiences.length === 0 ? apiAudiences : audiences, expirationSeconds: numberIn(spec, 'expirationSeconds') };
}

function validate(expirationSeconds: number): void {
  const errors = new FieldErrors();
  const field = path('spec', 'expirationSeconds');
  if (expirationSeconds < 600) errors.invalid(field, expirationSeconds, 'may not specify a duration less than 10 minutes');
  if (expirationSeconds > 2 ** 32)
    errors.invalid(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  if (errors.length > 0) throw StatusError.invalid({ group, kind: 'TokenRequest' }, '', errors);
}

function limited(seconds: number, { maxExpirationSeconds: max }: TokenIssuer, request: ResourceRequest): number {
  if (max === 0 || seconds <= max) return seconds;
  request.warn(`requested expiration of ${seconds} seconds shortened to ${max} seconds`);
  return max;
}

/** Extends the lifetime of tokens in default volumes, for clients that do not reload them; use after warnAfter is audited. */
function lifetime(
  seconds: number,
  audiences: readonly string[],
  { pod }: Bound,
  { extendExpiration, apiAudiences }: TokenIssuer,
  now: number,
): { readonly expirationSeconds: number; readonly warnAfter?: number } {
  const ours = audiences.every((audience) => apiAudiences.includes(audience));
  if (!extendExpiration || !pod || seconds !== projectedSeconds || !ours) return { expirationSeconds: seconds };
  return { expirationSeconds: extendedSeconds, warnAfter: Math.floor(now / 1000) + seconds };
}

type Bound = Pick<PrivateClaims, 'pod' | 'secret' | 'node'>;

async function boundTo(request: ResourceRequest, ref: JsonObject | undefined): Promise<Bound> {
  if (!ref) return {};
  const { namespace } = request.info;
  const apiVersion = textIn(ref, 'apiVersion');
  const [kindName, name] = [textIn(ref, 'kind'), textIn(ref, 'name')];
  const version = parseApiVersion(apiVersion);
  if (!['Pod', 'Node', 'Secret'].includes(kindName) || version?.group !== '') {
    const type = `${version?.group ?? ''}/${version?.version ?? ''}, Kind=${kindName}`;
    throw StatusError.badRequest(`cannot bind token to object of type ${type}`);
  }
  const plural = `${kindName.toLowerCase()}s`;
  const object = await objectNamed(request, plural, kindName === 'Node' ? '' : namespace, name);
  const bound = kindName === 'Pod' ? await boundToPod(request, object) : { [kindName.toLowerCase()]: referenceOf(object) };
  checkUid(ref, referenceOf(object), kindName);
  return bound;
}

function checkUid(ref: JsonObject, { name, uid }: BoundReference, kindName: string): void {
  const requested = textIn(ref, 'uid');
  if (requested === '' || requested === uid) return;
  const reason = `the UID in the bound object reference (${requested}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw StatusError.conflict({ group: '', resource: kindName }, name, reason);
}

/** Includes the node of the pod; without uid if the Node does not exist. */
async function boundToPod(request: ResourceRequest, object: JsonObject): Promise<Bound> {
  const spec = objectIn(object, 'spec');
  if (textIn(spec, 'serviceAccountName') !== request.info.name) {
    throw StatusError.badRequest(
      `cannot bind token for serviceaccount "${request.info.name}" to pod running with different serviceaccount name.`,
    );
  }
  const pod = referenceOf(object);
  const nodeName = textIn(spec, 'nodeName');
  if (nodeName === '') return { pod };
  const node = await find(request, 'nodes', '', nodeName);
  return { pod, node: node ? referenceOf(node) : { name: nodeName, uid: '' } };
}

function referenceOf(object: JsonObject): BoundReference {
  const metadata = metadataOf(object);
  return { name: textIn(metadata, 'name'), uid: textIn(metadata, 'uid') };
}

async function objectNamed(request: ResourceRequest, plural: string, namespace: string, name: string): Promise<JsonObject> {
  const found = await find(request, plural, namespace, name);
  if (!found) throw StatusError.notFound({ group: '', resource: plural }, name);
  return found;
}

async function find(request: ResourceRequest, plural: string, namespace: string, name: string): Promise<JsonObject | undefined> {
  const registry = request.objectsOf('', plural);
  const entry = registry && (await registry.cache.get(registry.key(namespace, name)));
  return entry && decodeObject(entry.value);
}
