import type { RequestInfo } from '@tsukube/apiserver';
import { isObject, type JsonObject, type JsonValue, objectIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';

/** The request to explain. */
export interface ExplainedRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly info: RequestInfo;
}

/** Gets a document of the server. The body is undefined if it is not JSON. */
export type Ask = (path: string) => Promise<{ readonly status: number; readonly body: JsonValue | undefined }>;

/** Whether a delegate answers a request, and why. */
export interface DelegateVerdict {
  readonly answers: boolean;
  readonly reason: string;
}

/** A delegate of the chain, explained from discovery and the other documents of the server. */
export interface ExplainedDelegate {
  readonly name: string;
  explain(request: ExplainedRequest, ask: Ask): Promise<DelegateVerdict>;
}

const passes = (reason: string): DelegateVerdict => ({ answers: false, reason });
const answers = (reason: string): DelegateVerdict => ({ answers: true, reason });

/** The delegates in the order in which they are asked. The last one answers everything. */
export const delegates: readonly ExplainedDelegate[] = [
  { name: 'aggregator', explain: aggregator },
  { name: 'custom resources', explain: customResources },
  { name: 'built-in resources', explain: builtInResources },
  { name: 'discovery', explain: discovery },
  { name: 'OpenAPI', explain: openApi },
  { name: 'pages', explain: pages },
  { name: 'not found', explain: async () => answers('404: no delegate serves the path') },
];

async function objectAt(path: string, ask: Ask): Promise<JsonObject | undefined> {
  const { status, body } = await ask(path);
  if (status === 404) return undefined;
  if (status !== 200 || !isObject(body)) throw new Error(`the server answered GET ${path} with ${status}`);
  return body;
}

/** VERSION.GROUP of the APIService that owns a path. */
export function apiServiceNameOf(path: string): string | undefined {
  const at = path.startsWith('/openapi/v3/') ? path.slice('/openapi/v3'.length) : path;
  const [, prefix, group, version] = at.split('/');
  if (prefix === 'api') return 'v1.';
  return prefix === 'apis' && group && version ? `${version}.${group}` : undefined;
}

async function aggregator({ path }: ExplainedRequest, ask: Ask): Promise<DelegateVerdict> {
  const name = apiServiceNameOf(path);
  if (name === undefined) return passes('the path names no group version');
  const object = await objectAt(`/apis/apiregistration.k8s.io/v1/apiservices/${name}`, ask);
  if (!object) return passes(`there is no APIService ${name}`);
  const service = objectIn(objectIn(object, 'spec'), 'service');
  if (!service) return passes(`the APIService ${name} is Local`);
  const to = `the Service ${textIn(service, 'namespace')}/${textIn(service, 'name')}:${service.port ?? 443}`;
  const condition = objectsIn(objectIn(object, 'status'), 'conditions').find(({ type }) => type === 'Available');
  const state = `Available is ${textIn(condition, 'status') || 'Unknown'} (${textIn(condition, 'reason')})`;
  if (condition?.status === 'True') return answers(`the APIService ${name} leads to ${to}; ${state}`);
  const why = `the APIService ${name} leads to ${to}; ${state}: ${textIn(condition, 'message')}`;
  return path.startsWith('/openapi/') ? passes(why) : answers(`503: ${why}`);
}

async function customResources({ info }: ExplainedRequest, ask: Ask): Promise<DelegateVerdict> {
  if (!info.isResource || info.group === '') return passes('the path names no resource of a custom group');
  const name = `${info.resource}.${info.group}`;
  const object = await objectAt(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`, ask);
  if (!object) return passes(`there is no CustomResourceDefinition ${name}`);
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  if (!conditions.some(({ type, status }) => type === 'Established' && status === 'True'))
    return passes(`the CustomResourceDefinition ${name} is not established`);
  const versions = objectsIn(objectIn(object, 'spec'), 'versions');
  const isServed = versions.some((version) => version.name === info.version && version.served === true);
  if (!isServed) return passes(`the CustomResourceDefinition ${name} does not serve ${info.version}`);
  return answers(`the CustomResourceDefinition ${name} serves ${info.version}`);
}

async function builtInResources({ info }: ExplainedRequest, ask: Ask): Promise<DelegateVerdict> {
  if (!info.isResource) return passes('the path names no resource');
  const place = info.prefix === 'api' ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`;
  const groupVersion = info.group === '' ? info.version : `${info.group}/${info.version}`;
  const list = await objectAt(place, ask);
  if (!list) return passes(`${groupVersion} is not served`);
  const name = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const found = objectsIn(list, 'resources').find((resource) => resource.name === name);
  if (!found) return passes(`${groupVersion} has no ${name}`);
  const verbs = textsIn(found, 'verbs');
  if (verbs.includes(info.verb)) return answers(`${groupVersion} has ${name}`);
  return answers(`405: ${name} of ${groupVersion} has the verbs ${verbs.join(', ')}, but not ${info.verb}`);
}

async function discovery({ path, info }: ExplainedRequest, ask: Ask): Promise<DelegateVerdict> {
  const parts = path.split('/').filter((part) => part !== '');
  const isDiscovery = !info.isResource && (parts[0] === 'api' || parts[0] === 'apis');
  if (!isDiscovery) return passes('the path is not one of discovery');
  const { status } = await ask(path);
  return status === 404 ? passes('no resource is served there') : answers('lists groups, versions or resources');
}

async function openApi({ path }: ExplainedRequest, ask: Ask): Promise<DelegateVerdict> {
  if (!path.startsWith('/openapi/')) return passes('the path is not below /openapi');
  if (path === '/openapi/v2' || path === '/openapi/v3') return answers('merged from all delegates');
  const { status } = await ask(path);
  return status === 404 ? passes('there is no such document') : answers('a document of this server');
}

async function pages({ path }: ExplainedRequest, ask: Ask): Promise<DelegateVerdict> {
  const index = await objectAt('/', ask);
  const isListed = path === '/' || (index !== undefined && textsIn(index, 'paths').includes(path));
  if (isListed) return answers('listed by GET /');
  return path.startsWith('/logs/')
    ? answers('a file of the log directory, if --enable-logs-handler is set')
    : passes('not listed by GET /');
}
