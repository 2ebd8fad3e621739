import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as send } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Sent without a client certificate. */
  readonly stranger?: boolean;
}

const lines = readFileSync(new URL('audit-recording.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const recording = lines.map((line) => JSON.parse(line) as { request?: Recorded; event?: Any });
const requests = recording.flatMap(({ request }) => request ?? []);
const recorded = recording.flatMap(({ event }) => event ?? []);

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, userGroups: ["system:nodes"]}
- {level: None, nonResourceURLs: ["/readyz*"]}
- {level: Metadata, resources: [{group: "", resources: ["secrets", "serviceaccounts/*"]}]}
- {level: Request, resources: [{group: "", resources: ["endpoints"]}]}
- {level: RequestResponse, resources: [{group: "apps"}], omitManagedFields: true}
- {level: RequestResponse}
`;

const folder = mkdtempSync(join(tmpdir(), 'tsukube-audit-'));
const log = join(folder, 'audit.log');
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function ask(client: Client, number: number, { method, path, headers, body, stranger }: Recorded): Promise<string> {
  const agent = new Agent(stranger ? { ca: client.tls.ca } : client.tls);
  const all: Record<string, string | number> = {
    'user-agent': 'talk/1',
    accept: 'application/json',
    'audit-id': `talk-${number}`,
    ...headers,
  };
  if (body !== undefined) all['content-type'] ??= 'application/json';
  if (body !== undefined) all['content-length'] = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const sent = send(client.url + path, { method, headers: all, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(String(response.headers['audit-id'])));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Replaces values that change from run to run, as in the recording. */
function masked(value: Any, key = ''): Any {
  if (typeof value === 'string') return maskedText(value, key);
  if (Array.isArray(value)) return value.map((item) => masked(item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(item, name)]));
}

function maskedText(text: string, key: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return text.includes('.') ? `<time ${text.split('.')[1]?.length}>` : '<time>';
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(text)) return '<uuid>';
  if (key === 'resourceVersion' && /^\d+$/.test(text)) return '<rv>';
  if (text.startsWith('X509SHA256=')) return 'X509SHA256=<hash>';
  if (/^\d+s$/.test(text)) return '<age>';
  if (/^gen-./.test(text)) return 'gen-<random>';
  return text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>');
}

const stepOf = ({ auditID, stage }: Any) => `${auditID} ${stage}`;

function eventsIn(path: string): readonly Any[] {
  const text = readFileSync(path, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [masked(JSON.parse(line))]));
}

describe('audit events', () => {
  const events = new Map<string, Any>();
  const ids: string[] = [];

  beforeAll(async () => {
    const server = await startServer({
      storage: 'memory',
      securePort: 0,
      authorizationMode: ['RBAC'],
      tokenAuthFile: written('tokens.csv', 'secret-token,jane,u-1,"devs"\n'),
      auditPolicyFile: written('policy.yaml', policy),
      auditLogPath: log,
    });
    const client = clientFor(server.kubeconfig);
    for (const [i, request] of requests.entries()) ids.push(await ask(client, i, request));
    client.close();
    await server.close();
    for (const event of eventsIn(log)) events.set(stepOf(event), event);
  });

  it('have the Audit-ID of the response', () => {
    expect(ids.filter((id) => id.startsWith('talk-'))).toHaveLength(requests.length - 1);
    expect(ids).toContain('my-own-id');
  });

  it.each(recorded.map((event): [string, Any] => [stepOf(event), event]))('%s matches kube-apiserver', (step, expected) => {
    const { kind, apiVersion, ...event } = events.get(step) ?? {};
    expect({ kind, apiVersion }).toEqual({ kind: 'Event', apiVersion: 'audit.k8s.io/v1' });
    // The phase of a new namespace is set later than in kube-apiserver, see docs/security.md.
    const comparable = ({ requestObject, ...rest }: Any) =>
      requestObject?.kind === 'Namespace' ? rest : { ...rest, ...(requestObject && { requestObject }) };
    expect(comparable(event)).toEqual(comparable(expected));
  });

  it('are written for patches that are not JSON, without the body', () => {
    for (const id of ['talk-14', 'talk-15']) {
      expect(events.get(`${id} ResponseComplete`)).toMatchObject({ verb: 'patch' });
      expect(events.get(`${id} ResponseComplete`)).not.toHaveProperty('requestObject');
    }
  });

  it('never contain the data of a Secret at level Metadata', () => {
    const text = readFileSync(log, 'utf8');
    expect(text).not.toContain('c2VjcmV0');
    expect(text).toContain('"resource":"secrets"');
  });
});

describe('a policy', () => {
  const start = (content: string) =>
    startServer({ storage: 'memory', securePort: 0, auditPolicyFile: written('bad.yaml', content), auditLogPath: log });
  const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';
  it.each([
    ['of another kind', 'apiVersion: v1\nkind: Policy\n', 'unknown group version field v1, Kind=Policy in policy'],
    ['without rules', head, 'loaded illegal policy with 0 rules'],
    ['without a level', `${head}rules: [{verbs: [get]}]`, 'rules[0].level: Required value'],
    [
      'with an unknown level',
      `${head}rules: [{level: Everything}]`,
      'rules[0].level: Unsupported value: "Everything": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      'with an unknown stage',
      `${head}omitStages: [Before]\nrules: [{level: None}]`,
      'omitStages[0]: Invalid value: "Before": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      'with paths and resources',
      `${head}rules: [{level: None, nonResourceURLs: ["/a"], namespaces: [x]}]`,
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'with a wildcard inside a path',
      `${head}rules: [{level: None, nonResourceURLs: ["/a*b"]}]`,
      `rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
    [
      'with resourceNames but no resources',
      `${head}rules: [{level: None, resources: [{resourceNames: [x]}]}]`,
      'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
    ],
    ['that cannot be read', `${head}rules: [`, 'loading audit policy file'],
  ])('%s is refused at startup', async (_title, content, message) => {
    await expect(start(content)).rejects.toThrow(message);
  });
});
