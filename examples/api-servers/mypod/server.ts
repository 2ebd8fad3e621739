import { defineResource, serveAggregated } from '@tsukube/sdk';

const pods = ['first', 'second', 'third'].map((name) => ({
  metadata: { name, namespace: 'default' },
  spec: { image: 'nginx:1.27' },
}));

/** Objects without a creationTimestamp: their age is `<unknown>`. Verbs without a function are not served. */
const mypods = defineResource({
  group: 'mypod.example.com',
  version: 'v1',
  kind: 'MyPod',
  schema: { type: 'object', properties: { spec: { type: 'object', properties: { image: { type: 'string' } } } } },
  storage: {
    get: ({ namespace, name }) => pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    list: ({ namespace }) => pods.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
  },
});

const server = await serveAggregated({ resources: [mypods], service: { namespace: 'default', name: 'mypod' } });
await server.available();
console.log(`serving on ${server.url}`);
process.once('SIGTERM', () => server.close());
