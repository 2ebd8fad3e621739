import {
  cannotUnmarshal,
  checkObject,
  FieldErrors,
  goQuote,
  isParsedObject,
  type JsonObject,
  JsonSyntaxError,
  type ParsedObject,
  ProtobufError,
  path,
  StatusError,
  textIn,
  textsIn,
  YamlSyntaxError,
} from '@tsukube/machinery';
import { isTrue } from '../../http/request-info.ts';
import { deleteOptionsObject } from '../../registry/deletion.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { WriteContext } from '../../registry/write-context.ts';
import { bodyType, lightBody, type ObjectType, objectTypes, type ParsedBody, parseBody } from './body.ts';
import { goTypeMeta, typeMetaError } from './type-meta.ts';
import { validateDryRun } from './write-options.ts';

export interface DecodedDeleteOptions {
  /** The options of the request, for admission. */
  readonly sent: JsonObject;
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  /** Delete the object even if it cannot be read. No effect on a readable one, as in kube-apiserver by default. */
  readonly ignoreStoreReadError?: boolean;
}

const policies = ['Foreground', 'Background', 'Orphan'];

/** Reads DeleteOptions from the body, or from the query if there is no body. Rejects with 400 or 422. */
export async function deleteOptions(request: ResourceRequest): Promise<DecodedDeleteOptions> {
  const body = await lightBody(request);
  const value = body.length > 0 ? await parseOptions(request, body) : fromQuery(request.query);
  if (body.length > 0) noteOptions(request, value);
  return validated(value);
}

/** Audit events show DeleteOptions in the internal version. */
function noteOptions({ notes }: ResourceRequest, { kind: _kind, apiVersion: _apiVersion, ...value }: JsonObject): void {
  notes?.requestObject({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...value });
}

/** Warns if the kind orphans dependents by default. Called once for a request, also for a collection. */
export function warnOfOrphans({ orphanDependents, propagationPolicy }: DecodedDeleteOptions, context: WriteContext): void {
  const { strategy, version, warn } = context;
  if (!strategy.orphanWarning || orphanDependents !== undefined || propagationPolicy !== undefined) return;
  if (strategy.defaultPropagation?.(version) === 'orphan') warn(strategy.orphanWarning);
}

async function parseOptions(request: ResourceRequest, body: Buffer): Promise<JsonObject> {
  const { value, hasNumberLiterals } = await parse(body, bodyType(request, objectTypes), request);
  if (!isParsedObject(value)) throw StatusError.badRequest(`${typeMetaError}${cannotUnmarshal(value, goTypeMeta)}`);
  checkOptionsKind(value);
  const { catalogue } = request.version.schema;
  const checked = checkObject(value, catalogue.get(optionsType), catalogue, { hasNumberLiterals });
  if (checked.error !== undefined) throw StatusError.badRequest(checked.error);
  return checked.value;
}

/** The other kinds of the scheme that decodes DeleteOptions. */
const metaKinds: ReadonlySet<unknown> = new Set([
  ...['CreateOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'UpdateOptions'],
  ...['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status', 'WatchEvent'],
]);
const metaScheme = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';

function checkOptionsKind({ kind, apiVersion }: ParsedObject): void {
  if (typeof kind !== 'string' || kind === '' || kind === 'DeleteOptions') return;
  if (metaKinds.has(kind)) throw StatusError.badRequest(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`);
  const version = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : 'meta.k8s.io/v1';
  const problem = `no kind ${goQuote(kind)} is registered for version ${goQuote(version)} in scheme ${goQuote(metaScheme)}`;
  throw StatusError.badRequest(problem);
}

const optionsType = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

async function parse(body: Buffer, type: ObjectType, { version }: ResourceRequest): Promise<ParsedBody> {
  try {
    return await parseBody(body, type, () => ({ type: optionsType, catalogue: version.schema.catalogue }), 'typed');
  } catch (error) {
    if (error instanceof ProtobufError) throw StatusError.badRequest(error.message);
    if (error instanceof JsonSyntaxError || error instanceof YamlSyntaxError) {
      throw StatusError.badRequest(`${typeMetaError}${error.message}`);
    }
    throw error;
  }
}

function fromQuery(query: URLSearchParams): JsonObject {
  const options: JsonObject = {};
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null && grace !== '') {
    if (!/^[+-]?\d{1,18}$/.test(grace))
      throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
    options.gracePeriodSeconds = Number(grace);
  }
  const orphan = query.get('orphanDependents');
  if (orphan !== null) options.orphanDependents = isTrue(orphan);
  const policy = query.get('propagationPolicy');
  if (policy !== null) options.propagationPolicy = policy;
  const ignoreReadError = query.get('ignoreStoreReadErrorWithClusterBreakingPotential');
  if (ignoreReadError !== null) options.ignoreStoreReadErrorWithClusterBreakingPotential = isTrue(ignoreReadError);
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun');
  return options;
}

/** The types of the fields were checked before. */
function validated(value: JsonObject): DecodedDeleteOptions {
  const { gracePeriodSeconds, preconditions } = value;
  const orphanDependents = value.orphanDependents as boolean | undefined;
  const propagationPolicy = value.propagationPolicy === undefined ? undefined : textIn(value, 'propagationPolicy');
  const dryRun = textsIn(value, 'dryRun');
  const errors = new FieldErrors();
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    errors.invalid(path('propagationPolicy'), propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set');
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.notSupported(path('propagationPolicy'), propagationPolicy, [...policies, 'nil']);
  }
  validateDryRun(dryRun, errors);
  if (errors.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const { kind: _kind, apiVersion: _apiVersion, ignoreStoreReadErrorWithClusterBreakingPotential: ignores, ...sent } = value;
  return {
    sent: deleteOptionsObject(sent),
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: gracePeriodSeconds === undefined ? undefined : Number(gracePeriodSeconds),
    orphanDependents,
    propagationPolicy,
    ignoreStoreReadError: ignores === true,
    preconditions: preconditions as DecodedDeleteOptions['preconditions'],
  };
}
