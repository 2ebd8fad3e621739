import type { Conversations, Request } from '../conversation.ts';

const get = (path: string): Request => ['GET', path];

/** Requests for unknown paths, and with unsupported methods. */
const conversations: Conversations = {
  versions: [
    '/api/v9',
    '/api/v9/pods',
    '/api//v1',
    '/apis/apps/v9',
    '/apis/apps/v9/deployments',
    '/apis/nope',
    '/apis/nope/',
    '/apis/nope/v1',
    '/apis/nope/v1/things',
    '/apis//apps/v1',
  ].map(get),
  resources: [
    '/api/v1/nope',
    '/api/v1/namespaces/NS/nope',
    '/api/v1/namespaces/NS/nope/x',
    '/apis/apps/v1/nope',
    '/apis/apps/v1/namespaces/NS/nope/x',
    '/api/v1/namespaces/NS/pods/x/nope',
    '/api/v1/namespaces/NS/configmaps/x/status',
    '/api/v1/namespaces/NS/configmaps/a/b/c',
    '/api/v1/namespaces/NS/nodes',
    '/api/v1/configmaps/x',
    '/api/v1/proxy/nodes/x',
    '/api/v1/watch/nope',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/clusterroles',
  ].map(get),
  pages: [
    '/nope',
    '/nope/',
    '//api',
    '/healthz/',
    '/healthz/nope',
    '/healthz/ping',
    '/healthz/ping/',
    '/livez/nope',
    '/readyz/etcd/',
    '/readyz?exclude=nope',
    '/livez?exclude=nope&exclude=b&exclude=ping&verbose',
    '/readyz?verbose',
    '/healthz?verbose',
    '/openapi',
    '/openapi/v2/',
    '/openapi/v3/',
    '/openapi/v3/nope',
    '/openapi/v4',
    '/metrics/nope',
    '/statusz/',
    '/flagz/',
    '/version/nope',
    '/swagger.json',
  ].map(get),
  methods: ['OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'].flatMap((method): Request[] => [
    [method, '/version'],
    [method, '/api/v1'],
    [method, '/apis/apps/v1'],
    [method, '/apis/apps/v9'],
    [method, '/nope'],
    [method, '/openid/v1/jwks'],
  ]),
  statusz: ['application/json', 'application/yaml', 'text/html', 'application/json;v=v1;g=config.k8s.io;as=Statusz'].map(
    (accept): Request => ['GET', '/statusz', undefined, { accept }],
  ),
  flagz: ['application/json', 'application/yaml', 'text/html', 'application/json;v=v1beta1;g=config.k8s.io;as=Statusz'].map(
    (accept): Request => ['GET', '/flagz', undefined, { accept }],
  ),
};
export default conversations;
