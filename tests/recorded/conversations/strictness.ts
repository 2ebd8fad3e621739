import type { Conversations, Request } from '../conversation.ts';

const C = '/api/v1/namespaces/NS/configmaps';
const D = '/apis/apps/v1/namespaces/NS/deployments';
const head = '"apiVersion":"v1","kind":"ConfigMap",';
const yaml = 'application/yaml';

/** Duplicate and unknown fields in many places. */
const bodies = [
  `{${head}"foo":1,"metadata":{"name":"a","name":"a","bar":2},"data":{"x":"1","x":"2"},"baz":3,"kind":"ConfigMap"}`,
  `{"zzz":{"a":1,"a":2},${head}"metadata":{"name":"a","labels":{"a":"b","a":"c"},"generation":1},"data":{"k":"v","k":"v"}}`,
  `{${head}"metadata":{"name":"a","ownerReferences":[{"uid":"u","kind":"Pod","apiVersion":"v1","name":"p","what":1,"uid":"u"}]},"a":1}`,
  `{${head}"Metadata":{"name":"a"},"metadata":{"name":"a","Name":"b","NAME":"c"},"DATA":{"a":"b"}}`,
  `{${head}"metadata":{"name":"a"},"u":1,"u":2,"v":{"x":1,"x":1}}`,
  `{"kind":"ConfigMap","apiVersion":"v1","kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`,
];
const documents = [
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  zoo: 1\n  name: a\ndata:\n  a: "1"\n  b: "2"\n  a: "3"\nfoo: 1\nbar: 2\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: "1"\n  a: "3"\n',
  'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\nzoo:\n  a: 1\n  a: 2\nant: 1\n',
];
const deployment =
  '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},"spec":{"zz":1,"replicas":1,"replicas":2,"selector":{"matchLabels":{"a":"b","a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"aa":1,"containers":[{"name":"c","image":"i","imag":"i","env":[{"name":"x","name":"y","val":1}],"resources":{"limits":{"cpu":"1","cpu":"2"},"lim":{}}}],"bb":2}},"yy":1}}';

const levels = ['Strict', 'Warn', 'Ignore', 'Other'].map((level) => `?dryRun=All&fieldValidation=${level}`).concat('?dryRun=All');
const put = (body: string, query: string, type = 'application/json'): Request => [
  'PUT',
  `${C}/a${query}`,
  body,
  { 'content-type': type },
];
const seed: Request = ['POST', C, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }];

const conversations: Conversations = {
  json: [seed, ...levels.flatMap((query) => bodies.map((body) => put(body, query)))],
  yaml: [seed, ...levels.flatMap((query) => [...documents, ...bodies].map((body) => put(body, query, yaml)))],
  create: levels.flatMap((query) => [
    ['POST', `${D}${query}`, deployment],
    ['POST', `${D}${query}`, deployment, { 'content-type': yaml }],
    ['POST', `${C}${query}`, documents[0], { 'content-type': yaml }],
  ]),
  patches: [
    seed,
    ...levels.flatMap((query) =>
      bodies.map(
        (body): Request => ['PATCH', `${C}/a${query}`, body, { 'content-type': 'application/strategic-merge-patch+json' }],
      ),
    ),
  ],
};
export default conversations;
