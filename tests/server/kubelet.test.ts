import { beforeAll, describe, expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

const t = useServer();
const pods = '/api/v1/namespaces/default/pods';
const services = '/api/v1/namespaces/default/services';

const containers = (...names: string[]) => names.map((name) => ({ name, image: 'i' }));
const pod = (name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { serviceAccountName: 'runner', automountServiceAccountToken: false, ...spec },
});

beforeAll(async () => {
  const create = async (path: string, object: object) => {
    const { status, text } = await t.client.send('POST', path, object);
    expect(status, text).toBe(201);
  };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner' } };
  await create('/api/v1/namespaces/default/serviceaccounts', account);
  await create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'near' } });
  await create(pods, pod('waiting', { containers: containers('c', 'd'), initContainers: containers('i') }));
  await create(pods, pod('lost', { nodeName: 'nowhere', containers: containers('c') }));
  await create(pods, pod('placed', { nodeName: 'near', containers: containers('c') }));
  await create(services, { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'idle' } };
  await create('/api/v1/namespaces/default/endpoints', endpoints);
});

/** The responses of kube-apiserver before it connects to a kubelet. */
describe('requests for a kubelet', () => {
  const choose = 'a container name must be specified for pod waiting, choose one of: [i c d]';
  const noAddress = 'no preferred addresses found; known addresses: []';
  const noHost = 'pod waiting does not have a host assigned';
  it.each<[string, string, number, string]>([
    ['GET', `${pods}/none/log`, 404, 'pods "none" not found'],
    ['GET', `${pods}/waiting/log`, 400, choose],
    ['GET', `${pods}/waiting/log?container=x`, 400, 'container x is not valid for pod waiting'],
    ['GET', `${pods}/waiting/log?container=c`, 204, ''],
    ['GET', `${pods}/lost/log`, 404, 'pods "nowhere" not found'],
    ['GET', `${pods}/placed/log?limitBytes=x`, 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'GET',
      `${pods}/placed/log?tailLines=-1`,
      422,
      'PodLogOptions "placed" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['GET', `${pods}/placed/log`, 500, noAddress],
    ['POST', `${pods}/waiting/exec?command=ls`, 400, choose],
    ['POST', `${pods}/waiting/exec?command=ls&container=c`, 400, noHost],
    ['POST', `${pods}/waiting/attach?container=i`, 400, noHost],
    ['POST', `${pods}/waiting/portforward`, 400, noHost],
    ['POST', `${pods}/lost/exec?command=ls`, 404, 'pods "nowhere" not found'],
    ['POST', `${pods}/placed/exec?command=ls`, 500, noAddress],
    ['GET', `${pods}/https:placed:80/proxy/x`, 400, 'address not allowed'],
    ['GET', `${services}/s/proxy/`, 404, 'services "s" not found'],
    ['GET', `${services}/idle:http/proxy/`, 503, 'no endpoints available for service "idle"'],
    ['GET', '/api/v1/nodes/none/proxy/metrics', 404, 'nodes "none" not found'],
    ['GET', '/api/v1/nodes/near/proxy/metrics', 500, noAddress],
    ['GET', '/api/v1/nodes/ftp:near:1/proxy/', 400, 'invalid node request "ftp:near:1"'],
  ])('%s %s', async (method, path, status, message) => {
    const answer = await t.client.send(method, path);
    expect([answer.status, answer.text === '' ? '' : answer.body.message]).toEqual([status, expect.stringContaining(message)]);
  });
});
