import { patchOf, type Reviewer } from '../../support/admission-webhook.ts';
import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const patching =
  (operations: unknown): Reviewer =>
  () => ({ allowed: true, ...patchOf(operations) });
const answering =
  (response: Any): Reviewer =>
  () =>
    response;
/** Writes a response body as it is. UID stands for the uid of the request. */
const raw =
  (body: unknown, status = 200, type = 'application/json'): Reviewer =>
  ({ uid }, { response }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': type }).end(text.replaceAll('UID', uid));
  };
const review = (response: Any, more: Any = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response,
  ...more,
});
const allowed = { uid: 'UID', allowed: true };

const either: Readonly<Record<string, Reviewer>> = {
  allowed: answering({ allowed: true }),
  denied: answering({ allowed: false }),
  'denied-message': answering({ allowed: false, status: { message: 'not today' } }),
  'denied-reason': answering({ allowed: false, status: { reason: 'Because' } }),
  'denied-code': answering({ allowed: false, status: { message: 'gone', code: 410, reason: 'Expired' } }),
  'denied-low-code': answering({ allowed: false, status: { status: 'Success', code: 200, message: 'fine' } }),
  'denied-details': answering({
    allowed: false,
    status: {
      code: 422,
      reason: 'Invalid',
      message: 'm',
      details: { name: 'n', kind: 'k', causes: [{ field: 'data.a', message: 'bad' }] },
    },
  }),
  'wrong-uid': raw(review({ uid: 'other', allowed: true })),
  'no-uid': raw(review({ allowed: true })),
  'no-response': raw(review(undefined)),
  'null-response': raw(review(null)),
  'wrong-kind': raw(review(allowed, { kind: 'Other' })),
  'no-kind': raw({ response: allowed }),
  'wrong-version': raw(review(allowed, { apiVersion: 'admission.k8s.io/v1beta1' })),
  'wrong-group': raw(review(allowed, { apiVersion: 'example.com/v1' })),
  'wrong-allowed': raw(review({ uid: 'UID', allowed: 'yes' })),
  'wrong-status': raw(review({ uid: 'UID', allowed: false, status: 'no' })),
  'wrong-code': raw(review({ uid: 'UID', allowed: false, status: { code: '403' } })),
  'wrong-warnings': raw(review({ ...allowed, warnings: 'careful' })),
  'wrong-annotations': raw(review({ ...allowed, auditAnnotations: { a: 1 } })),
  'no-json': raw('hello', 200, 'text/plain'),
  empty: raw('', 200, 'application/json'),
  list: raw('[]'),
  'status-404': raw('not here', 404, 'text/plain'),
  'status-500': raw('{"a":1}', 500),
  'status-403': raw(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no entry', reason: 'Forbidden', code: 403 },
    403,
  ),
  yaml: raw(
    'apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse:\n  uid: UID\n  allowed: true\n',
    200,
    'application/yaml',
  ),
  warnings: answering({ allowed: true, warnings: ['first', 'second "quoted"', 'with\nline'] }),
  closed: (_, { response }) => void response.destroy(),
  'patch-without-type': answering({ allowed: true, patch: 'W10=' }),
  'type-without-patch': answering({ allowed: true, patchType: 'JSONPatch' }),
  'no-base64': answering({ allowed: true, patchType: 'JSONPatch', patch: '***' }),
};

const mutating: Readonly<Record<string, Reviewer>> = {
  'add-data': patching([{ op: 'add', path: '/data/added', value: 'yes' }]),
  'add-label': patching([{ op: 'add', path: '/metadata/labels/a~1b', value: 'c' }]),
  'empty-patch': patching([]),
  'null-patch': patching(null),
  'test-fails': patching([{ op: 'test', path: '/data/a', value: 'z' }]),
  'replace-missing': patching([{ op: 'replace', path: '/data/missing', value: 'x' }]),
  'add-below-missing': patching([{ op: 'add', path: '/spec/missing/x', value: 'x' }]),
  'unknown-operation': patching([{ op: 'increase', path: '/data/a' }]),
  'no-path': patching([{ op: 'add', value: 'x' }]),
  'bad-index': patching([{ op: 'add', path: '/metadata/finalizers/3', value: 'x' }]),
  'object-patch': patching({ op: 'add' }),
  'text-patch': answering({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from('hello').toString('base64') }),
  'number-operations': patching([1]),
  'other-type': answering({ allowed: true, patchType: 'MergePatch', patch: 'W10=' }),
  'other-type-used': answering({
    ...patchOf([{ op: 'add', path: '/data/x', value: 'y' }]),
    allowed: true,
    patchType: 'MergePatch',
  }),
  'empty-type': answering({ allowed: true, patchType: '', patch: 'W10=' }),
  'wrong-value': patching([{ op: 'add', path: '/data/number', value: 1 }]),
  'wrong-field-type': patching([{ op: 'replace', path: '/data', value: 'text' }]),
  'unknown-field': patching([{ op: 'add', path: '/unknown', value: 1 }]),
  'whole-document': patching([{ op: 'replace', path: '', value: [] }]),
  'remove-kind': patching([{ op: 'remove', path: '/kind' }]),
  'other-api-version': patching([{ op: 'replace', path: '/apiVersion', value: 'v2' }]),
  rename: patching([{ op: 'replace', path: '/metadata/name', value: 'renamed' }]),
  'other-namespace': patching([{ op: 'replace', path: '/metadata/namespace', value: 'default' }]),
  prototype: patching([
    { op: 'add', path: '/data/__proto__', value: 'polluted' },
    { op: 'add', path: '/metadata/labels/constructor', value: 'x' },
  ]),
  'prototype-path': patching([{ op: 'add', path: '/__proto__/polluted', value: 'yes' }]),
  'invalid-result': patching([{ op: 'add', path: '/metadata/labels/x', value: 'not valid!' }]),
  'managed-fields': patching([{ op: 'remove', path: '/metadata/managedFields' }]),
  uid: patching([{ op: 'add', path: '/metadata/uid', value: 'u' }]),
  'patch-and-denied': answering({ allowed: false, ...patchOf([{ op: 'add', path: '/data/x', value: 'y' }]) }),
};

const validating: Readonly<Record<string, Reviewer>> = {
  patched: answering({ allowed: true, ...patchOf([{ op: 'add', path: '/data/x', value: 'y' }]) }),
};

const cases = {
  mutate: { ...either, ...mutating },
  validate: { ...either, ...validating },
};

export const reviewers: Readonly<Record<string, Reviewer>> = Object.fromEntries(
  Object.entries(cases).flatMap(([phase, all]) => Object.entries(all).map(([name, reviewer]) => [`/${phase}/${name}`, reviewer])),
);

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];
const webhook = (phase: string, name: string, more: Any = {}) => ({
  name: `${name}.example.com`,
  clientConfig: { url: `ADMISSION_URL/${phase}/${name}`, caBundle: 'ADMISSION_CA' },
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } },
  objectSelector: { matchLabels: { case: name } },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  timeoutSeconds: 5,
  rules,
  ...more,
});
const configuration = (kind: string, webhooks: Any[]): Request => [
  'POST',
  `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s?pretty=false`,
  { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'NS' }, webhooks },
];
const create = (name: string, query = ''): Request => [
  'POST',
  `/api/v1/namespaces/NS/configmaps?fieldManager=me${query}`,
  { metadata: { name, labels: { case: name } }, data: { a: 'b' } },
];
const remove = (kind: string): Request => ['DELETE', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s/NS`];

function conversation(kind: string, phase: 'mutate' | 'validate', more: Any = {}): readonly Step[] {
  const names = Object.keys(cases[phase]);
  return [
    configuration(
      kind,
      names.map((name) => webhook(phase, name, more)),
    ),
    { settleMs: 2_500 },
    ...names.map((name) => create(name)),
    remove(kind),
    { settleMs: 2_500 },
  ];
}

const conversations: Conversations = {
  mutating: conversation('MutatingWebhookConfiguration', 'mutate'),
  validating: conversation('ValidatingWebhookConfiguration', 'validate'),
  'mutating-v1beta1': conversation('MutatingWebhookConfiguration', 'mutate', {
    admissionReviewVersions: ['v2', 'v1beta1', 'v1'],
  }),
  'validating-v1beta1': conversation('ValidatingWebhookConfiguration', 'validate', { admissionReviewVersions: ['v1beta1'] }),
  'mutating-ignore': conversation('MutatingWebhookConfiguration', 'mutate', { failurePolicy: 'Ignore' }),
  'validating-ignore': conversation('ValidatingWebhookConfiguration', 'validate', { failurePolicy: 'Ignore' }),
};
export default conversations;
