import { parseArgs } from 'node:util';
import { requestInfo } from '@tsukube/apiserver';
import { ApiClient, isApiError, loadConfig } from '@tsukube/client';
import { isObject, type JsonObject, type JsonValue, objectIn, textIn } from '@tsukube/machinery';
import { type Ask, delegates, type ExplainedRequest } from './explain-delegates.ts';

const help = `Says which part of a running server answers a request, and why: the API server of an APIService, a custom resource, a built-in
resource, discovery or a page. The delegates are listed in the order in which they are asked. Nothing is sent to PATH itself, unless
it is one of discovery or OpenAPI.

Usage: tsukube explain-path [--kubeconfig FILE] METHOD PATH

      --kubeconfig FILE   the server ($KUBECONFIG, or ~/.kube/config)
  -h, --help

Exit code: 0 if something answers, 1 if the response would be 404, 503 or 405, or the server cannot be asked.

Example: tsukube explain-path GET '/apis/metrics.k8s.io/v1beta1/pods?watch=true'
`;

const flags = {
  kubeconfig: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Prints the delegates up to the one that answers. */
export async function explainPath(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options: flags, allowPositionals: true });
  const [method = '', url = '', ...more] = positionals;
  if (values.help) return print(help, 0);
  if (!/^[A-Za-z]+$/.test(method) || !url.startsWith('/') || more.length > 0) {
    process.stderr.write('tsukube: explain-path needs a METHOD and a PATH that begins with /, see tsukube explain-path --help\n');
    return 2;
  }
  const client = new ApiClient(await loadConfig({ kubeconfig: values.kubeconfig }), { rateLimit: false, timeoutMs: 15_000 });
  try {
    return await explain(requestOf(method.toUpperCase(), url), client);
  } finally {
    client.close();
  }
}

function requestOf(method: string, url: string): ExplainedRequest {
  const mark = url.indexOf('?');
  const path = decodeURIComponent(mark < 0 ? url : url.slice(0, mark));
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  return { method, path, info: requestInfo(method, path, () => query) };
}

async function explain(request: ExplainedRequest, client: ApiClient): Promise<number> {
  const lines = [
    `${request.method} ${request.path}`,
    `  ${kindOf(request)}`,
    `  authorization: ${await authorization(request, client)}`,
  ];
  for (const delegate of delegates) {
    const { answers, reason } = await delegate.explain(request, askWith(client));
    lines.push(`  ${delegate.name.padEnd(20)}${answers ? 'ANSWERS' : 'passes '}  ${reason}`);
    if (answers) return print(`${lines.join('\n')}\n`, /^(?:404|405|503):/.test(reason) ? 1 : 0);
  }
  return print(`${lines.join('\n')}\n`, 1);
}

function kindOf({ info }: ExplainedRequest): string {
  if (!info.isResource) return `not a resource, verb ${info.verb}`;
  const group = info.group === '' ? info.version : `${info.group}/${info.version}`;
  const names = [
    `verb ${info.verb}`,
    `${info.resource}${info.subresource && `/${info.subresource}`} of ${group}`,
    info.namespace && `namespace ${info.namespace}`,
    info.name && `name ${info.name}`,
  ];
  return names.filter((name) => name !== '').join(', ');
}

function askWith(client: ApiClient): Ask {
  return async (path) => {
    try {
      return { status: 200, body: parsed(await client.text({ method: 'GET', path, noRetry: true })) };
    } catch (error) {
      if (!isApiError(error)) throw error;
      return { status: error.code, body: undefined };
    }
  };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Whether the user of the kubeconfig may make the request. */
async function authorization({ path, info }: ExplainedRequest, client: ApiClient): Promise<string> {
  const { verb, group, version, resource, subresource, namespace, name } = info;
  const spec = info.isResource
    ? { resourceAttributes: { verb, group, version, resource, subresource, namespace, name } }
    : { nonResourceAttributes: { verb, path } };
  const body = { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec };
  const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answer = await client.json<JsonObject>({ method: 'POST', path: review, body });
  const status = (isObject(answer) && objectIn(answer, 'status')) || {};
  return status.allowed === true ? 'allowed' : `forbidden ${textIn(status, 'reason')}`.trim();
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}
