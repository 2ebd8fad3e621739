import { type JsonObject, type JsonValue, jsonPatch, parseJson, setKey } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { runWebhook } from './run-webhook.ts';
import { type AdmissionWebhook, mutate, validate } from './webhook.ts';

const pods = { resource: 'pods', operations: ['CREATE'] } as const;
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels: { a: 'b' } }, spec: { containers: [] } };

interface Outcome {
  readonly response: JsonObject;
  readonly errors: readonly unknown[];
}

async function run(webhook: AdmissionWebhook, fields: JsonObject = {}, signal = new AbortController().signal): Promise<Outcome> {
  const errors: unknown[] = [];
  const request = { uid: 'u', operation: 'CREATE', object: pod, ...fields };
  const review = { apiVersion: 'admission.k8s.io/v1', uid: 'u', request };
  const response = await runWebhook(webhook, review, { signal, onError: (error) => errors.push(error) });
  return { response, errors };
}

function patchIn({ patch }: JsonObject): JsonValue {
  return patch === undefined ? [] : parseJson(Buffer.from(patch as string, 'base64')).value;
}

describe('a handler', () => {
  it('gets the request', async () => {
    let seen: unknown;
    const userInfo = { username: 'jane', uid: '7', groups: ['a'], extra: { scopes: ['x'] } };
    const request = {
      name: 'web',
      namespace: 'default',
      operation: 'UPDATE',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'status',
      oldObject: pod,
      options: { kind: 'UpdateOptions' },
      dryRun: true,
      userInfo,
    };
    await run(
      validate(pods, ({ allow, deny, warn, auditAnnotation, signal, ...rest }) => {
        seen = rest;
      }),
      request,
    );
    const { subResource, ...same } = request;
    expect(seen).toEqual({ ...same, uid: 'u', object: pod, subresource: subResource });
  });

  it.each<[string, AdmissionWebhook, JsonObject]>([
    ['returns', validate(pods, () => {}), { allowed: true }],
    ['calls allow', validate(pods, ({ allow }) => allow()), { allowed: true }],
    ['calls deny', validate(pods, ({ deny }) => deny('no')), denial('no', 403, 'Forbidden')],
    ['calls deny with a code', validate(pods, ({ deny }) => deny('gone', 409)), denial('gone', 409, 'Conflict')],
    ['calls deny with an unusual code', validate(pods, ({ deny }) => deny('tea', 418)), denial('tea', 418)],
    [
      'catches the denial',
      validate(pods, ({ deny }) => {
        try {
          deny('no');
        } catch {}
      }),
      denial('no', 403, 'Forbidden'),
    ],
    [
      'calls deny after allow',
      validate(pods, ({ allow, deny }) => {
        try {
          allow();
        } finally {
          deny('no');
        }
      }),
      denial('no', 403, 'Forbidden'),
    ],
    ['rejects later', validate(pods, async ({ deny }) => deny('later')), denial('later', 403, 'Forbidden')],
    [
      'warns and annotates',
      validate(pods, ({ warn, auditAnnotation }) => {
        warn('deprecated');
        auditAnnotation('__proto__', 'v');
      }),
      { allowed: true, warnings: ['deprecated'], auditAnnotations: withKey('__proto__', 'v') },
    ],
    [
      'drops its changes with allow',
      mutate(pods, ({ object, allow }) => {
        object.metadata.name = 'other';
        allow();
      }),
      { allowed: true },
    ],
  ])('that %s', async (_, webhook, response) => {
    expect(await run(webhook)).toEqual({ response, errors: [] });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    [
      'throws a value that is not an Error',
      () => {
        throw 'secret';
      },
    ],
    [
      'makes a cycle',
      ({ object }: { object: JsonObject }) => {
        object.self = object;
      },
    ],
    ['returns no object', () => 7],
  ])('that %s denies with status 500, and the log has the reason', async (_, handle) => {
    const { response, errors } = await run({ type: 'mutating', match: pods, handle: handle as AdmissionWebhook['handle'] });
    expect(response).toEqual(denial('the webhook failed; its log has the reason', 500, 'InternalError'));
    expect(errors).toHaveLength(1);
  });

  it('that takes too long is not waited for', async () => {
    const controller = new AbortController();
    const running = run(
      validate(pods, () => new Promise(() => {})),
      {},
      controller.signal,
    );
    controller.abort(new Error('too long'));
    expect((await running).response).toEqual(denial('the webhook did not answer in time', 504, 'Timeout'));
  });
});

describe('a patch', () => {
  it.each<[string, AdmissionWebhook, JsonValue]>([
    ['is absent without changes', mutate(pods, () => {}), []],
    [
      'has the changes of the object',
      mutate(pods, ({ object }) => {
        object.metadata.labels = { ...object.metadata.labels, 'example.com/team': 'a' };
        object.spec.containers.push({ name: 'sidecar' });
      }),
      [
        { op: 'add', path: '/metadata/labels/example.com~1team', value: 'a' },
        { op: 'add', path: '/spec/containers/0', value: { name: 'sidecar' } },
      ],
    ],
    [
      'has the changes of a returned object',
      mutate(pods, ({ object }) => ({ ...object, metadata: { name: 'other' } })),
      [
        { op: 'replace', path: '/metadata/name', value: 'other' },
        { op: 'remove', path: '/metadata/labels' },
      ],
    ],
    [
      'removes fields that became undefined',
      mutate(pods, ({ object }) => {
        object.metadata.labels = undefined;
      }),
      [{ op: 'remove', path: '/metadata/labels' }],
    ],
    ['is absent for validating webhooks', validate(pods, ({ object }) => void object.spec.containers.push({ name: 'x' })), []],
  ])('%s', async (_, webhook, patch) => {
    const { response } = await run(webhook);
    expect(patchIn(response)).toEqual(patch);
    expect(response).toMatchObject({ allowed: true, ...((patch as JsonValue[]).length > 0 && { patchType: 'JSONPatch' }) });
  });

  it('is absent if there is no object', async () => {
    const webhook = mutate({ resource: 'pods', operations: ['DELETE'] }, () => {});
    expect((await run(webhook, { operation: 'DELETE', object: null, oldObject: pod })).response).toEqual({ allowed: true });
  });

  it('keeps 64-bit integers and keys of any name', async () => {
    const object = { ...pod, big: 2n ** 62n, odd: withKey('__proto__', [1]) };
    const webhook = mutate<typeof object>(pods, (request) => {
      request.object.big += 1n;
      (Object.values(request.object.odd)[0] as number[]).push(2);
    });
    const { response } = await run(webhook, { object });
    const expected = { ...pod, big: 2n ** 62n + 1n, odd: withKey('__proto__', [1, 2]) };
    expect(jsonPatch(object, patchIn(response))).toEqual(expected);
  });
});

function denial(message: string, code: number, reason?: string): JsonObject {
  return { allowed: false, status: { status: 'Failure', message, code, ...(reason !== undefined && { reason }) } };
}

function withKey(key: string, value: JsonValue): JsonObject {
  const object: JsonObject = {};
  setKey(object, key, value);
  return object;
}
