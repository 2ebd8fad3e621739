import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { type ConversionWebhook, startConversionWebhook } from '../support/conversion-webhook.ts';
import { createDefinition, definition } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';

const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const versions = [
  { name: 'v1', served: true, storage: true, schema: anything },
  { name: 'v2', served: true, storage: false, schema: anything },
];
const typeMeta =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const unparsable = (kind: string) =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${kind} into ${typeMeta}`;
const status = (code: number) => ({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'my message', code });
const scheme = 'k8s.io/apiserver/pkg/util/webhook/client.go:71';

describe('a conversion that fails', () => {
  const t = useServer();
  let webhook: ConversionWebhook;
  let converts: ConversionWebhook['answer'];
  let count = 0;
  beforeAll(async () => {
    webhook = await startConversionWebhook((object, apiVersion) => ({ ...object, apiVersion }));
    converts = webhook.answer;
  });
  beforeEach(() => {
    webhook.answer = converts;
    webhook.respond = undefined;
  });
  afterAll(() => webhook.close());

  /** The error message of reading in v2 an object stored in v1; `GROUP` replaces its group. */
  const messageWith = async (clientConfig: object): Promise<string> => {
    const group = `f${count++}.example.com`;
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    const path = await createDefinition(t.client, definition('taps', { group, versions, conversion }));
    const labels = { a: 'b' };
    await t.client.send('POST', path, { apiVersion: `${group}/v1`, kind: 'Tap', metadata: { name: 'a', labels } });
    const { status, body } = await t.client.get(`${path.replace('/v1/', '/v2/')}/a`);
    expect([status, body.reason]).toEqual([500, undefined]);
    return body.message.replaceAll(group, 'GROUP').replace(/[\da-f-]{36}/g, 'UID');
  };
  const failed = (reason: string) => `conversion webhook for GROUP/v1, Kind=Tap failed: ${reason}`;
  const returned = (what: string) => `conversion webhook for GROUP/v1, Kind=Tap returned ${what}`;

  it.each<[number, string, string, string]>([
    [400, 'text/plain', 'bad', 'the server rejected our request for an unknown reason'],
    [401, 'text/plain', 'no', 'the server has asked for the client to provide credentials'],
    [403, 'text/plain', 'no', 'no'],
    [404, 'text/plain', 'page not found', 'the server could not find the requested resource'],
    [405, 'text/plain', 'no', 'the server does not allow this method on the requested resource'],
    [406, 'text/plain', '', 'the server was unable to respond with a content type that the client supports'],
    [409, 'text/plain', 'no', 'the server reported a conflict'],
    [418, 'text/plain', 'tea', 'the server responded with the status code 418 but did not return more information'],
    [422, 'text/plain', 'no', 'the server rejected our request due to an error in our request'],
    [429, 'text/plain', 'slow', 'the server has received too many requests and has asked us to try again later'],
    [500, 'text/plain', 'sorry', 'an error on the server ("sorry") has prevented the request from succeeding'],
    [500, 'text/plain', '', 'an error on the server ("") has prevented the request from succeeding'],
    [500, 'application/octet-stream', 'x', 'an error on the server ("unknown") has prevented the request from succeeding'],
    [500, 'application/json', '{"a":1}', 'an error on the server ("unknown") has prevented the request from succeeding'],
    [500, 'application/json', JSON.stringify(status(500)), 'my message'],
    [400, 'application/json', JSON.stringify(status(400)), 'my message'],
    [503, 'text/plain', 'sorry', 'the server is currently unable to handle the request'],
    [200, 'text/html', '<html></html>', unparsable('string')],
    [200, 'application/json', 'hello', unparsable('string')],
    [200, 'application/json', '[]', unparsable('array')],
    [200, 'application/json', '', '0-length response with status code: 200 and content type: application/json'],
    [200, 'text/plain', 'apiVersion: apiextensions.k8s.io/v1\nkind: ConversionReview\n', 'no response provided'],
  ])('with %i %s %j', async (code, type, text, reason) => {
    webhook.respond = (response) => response.writeHead(code, { 'content-type': type }).end(text);
    expect(await messageWith(webhook.clientConfig())).toBe(failed(reason));
  });

  const wanted = 'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got';
  it.each<[string, (review: Any) => Any, string]>([
    ['nothing', () => ({}), `${wanted} /, Kind=`],
    ['no kind', ({ apiVersion }) => ({ apiVersion }), `${wanted} apiextensions.k8s.io/v1, Kind=`],
    ['a pod', () => ({ apiVersion: 'v1', kind: 'Pod' }), `no kind "Pod" is registered for version "v1" in scheme "${scheme}"`],
    ['a Status', () => status(400), 'converting (v1.Status) to (v1.ConversionReview): unknown conversion'],
    [
      'another version',
      (review) => ({ ...review, apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      'converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
    ],
    ['no response', ({ apiVersion, kind }) => ({ apiVersion, kind }), 'no response provided'],
    [
      'text for a response',
      (review) => ({ ...review, response: 'x' }),
      'json: cannot unmarshal string into Go struct field ConversionReview.response of type v1.ConversionResponse',
    ],
    ['another uid', (review) => ({ ...review, response: { uid: 'x' } }), 'expected response.uid="UID", got "x"'],
  ])('with %s in the response', async (_, answer, reason) => {
    webhook.answer = answer;
    expect(await messageWith(webhook.clientConfig())).toBe(failed(reason));
  });

  it.each<[string, Any, string]>([
    ['null', null, 'unexpected end of JSON input'],
    ['text', 'x', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ['no version', { kind: 'Tap' }, returned('invalid object at index 0: invalid groupVersion (expected GROUP/v2, received )')],
  ])('with %s for an object', async (_, object, message) => {
    webhook.answer = (review) => {
      const answer = converts(review);
      answer.response.convertedObjects = [object];
      return answer;
    };
    expect(await messageWith(webhook.clientConfig())).toBe(message);
  });

  it('with a closed connection', async () => {
    webhook.respond = (response) => response.destroy();
    const { url } = webhook.clientConfig();
    expect(await messageWith(webhook.clientConfig())).toBe(failed(`Post "${url}?timeout=30s": EOF`));
  });

  const services = '/api/v1/namespaces/default/services';
  it.each<[string, Any, number, string]>([
    ['that does not exist', undefined, 443, 'service "SERVICE" not found'],
    ['without the port', { ports: [{ port: 443 }] }, 444, 'no service port 444 found for service "SERVICE"'],
    ['without addresses', { clusterIP: 'None', ports: [{ port: 443 }] }, 443, 'cannot route to service with ClusterIP "None"'],
  ])('by a service %s', async (_, spec, port, reason) => {
    const name = `converter-${count}`;
    if (spec) await t.client.send('POST', services, { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
    const { caBundle } = webhook;
    const message = await messageWith({ caBundle, service: { namespace: 'default', name, port } });
    const post = `Post "https://${name}.default.svc:${port}/?timeout=30s": `;
    expect(message).toBe(failed(`${post}${reason.replace('SERVICE', name)}`));
  });
});
