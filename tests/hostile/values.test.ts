import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';
import { statusLike } from './status.ts';

const t = useServer();
const mergePatch = 'application/merge-patch+json';

describe('an invalid body', () => {
  const handled = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal';
  it.each([
    ['', /unexpected end of JSON input/],
    [' ', /unexpected end of JSON input/],
    ['7', /cannot unmarshal number into Go value of type struct/],
    ['"x"', /cannot unmarshal string into Go value of type struct/],
    ['[]', /cannot unmarshal array into Go value of type struct/],
    ['{"metadata":{"name":"x"', /unexpected end of JSON input/],
    ['{"metadata":{"name":"x"}} x', /invalid character 'x' after top-level value/],
    ['\u0000\u0001', /invalid character '\\x00' looking for beginning of value/],
    ['\ufeff{}', /invalid character 'ï' looking for beginning of value/],
    ['{"kind":5,"metadata":{"name":"x"}}', /cannot unmarshal number into Go struct field \.kind of type string/],
    ['{"apiVersion":{},"metadata":{"name":"x"}}', /cannot unmarshal object into Go struct field \.apiVersion of type string/],
    ['{"kind":"Secret"}', /no kind "Secret" is registered|Secret in version "v1" cannot be handled as a ConfigMap/],
    ['{"metadata":"x"}', `${handled} string into Go struct field ConfigMap.metadata of type v1.ObjectMeta`],
    ['{"metadata":[]}', `${handled} array into Go struct field ConfigMap.metadata of type v1.ObjectMeta`],
    ['{"metadata":{"name":5}}', `${handled} number into Go struct field ObjectMeta.metadata.name of type string`],
    ['{"metadata":{"labels":{"a":1}}}', `${handled} number into Go struct field ObjectMeta.metadata.labels of type string`],
    ['{"data":["a"]}', `${handled} array into Go struct field ConfigMap.data of type map[string]string`],
    ['{"data":{"a":1}}', `${handled} number into Go struct field ConfigMap.data of type string`],
    ['{"immutable":"yes"}', `${handled} string into Go struct field ConfigMap.immutable of type bool`],
    ['{"binaryData":{"a":"%"}}', /illegal base64 data at input byte 0/],
  ])('%j', async (body, message) => {
    const path = await newNamespace(t.client);
    const { text, ...reply } = await t.client.send('POST', path, body);
    expect(JSON.parse(text)).toMatchObject(statusLike(400, 'BadRequest', message));
    expect(reply.status).toBe(400);
  });

  it.each(['text/plain', 'application/octet-stream', ';;;', 'application/json, text/plain', '*/*', 'application/__proto__'])(
    'of the type %j is refused',
    async (type) => {
      const path = await newNamespace(t.client);
      const reply = await t.client.send('POST', path, '{}', { 'content-type': type });
      expect(reply.body).toMatchObject(statusLike(415, 'UnsupportedMediaType'));
    },
  );

  it.each(['application/json', 'text/plain', 'application/merge-patch'])('of type %j is not a patch', async (type) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    const reply = await t.client.send('PATCH', `${path}/a`, '{}', { 'content-type': type });
    expect(reply.body).toMatchObject(statusLike(415, 'UnsupportedMediaType', '415: Unsupported Media Type'));
  });
});

describe('names of JavaScript built-ins, such as __proto__', () => {
  const inherited = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf'];

  it('are ordinary data', async () => {
    const path = await newNamespace(t.client);
    const data = `{${inherited.map((key) => `"${key}":"${key}"`).join(',')}}`;
    const { text } = await t.client.send('POST', path, `{"metadata":{"name":"a"},"data":${data}}`);
    expect(text).toContain(`"data":${data}`);
    const patched = await t.client.send('PATCH', `${path}/a`, '{"data":{"__proto__":"new","x":"y"}}', {
      'content-type': mergePatch,
    });
    expect(patched.text).toContain('"__proto__":"new","constructor":"constructor"');
    const operations = '[{"op":"remove","path":"/data/__proto__"},{"op":"add","path":"/data/__proto__","value":"z"}]';
    const again = await t.client.send('PATCH', `${path}/a`, operations, { 'content-type': 'application/json-patch+json' });
    expect(again.text).toContain('"__proto__":"z"');
    expect((await t.client.get(`${path}/a`)).text).toContain('"__proto__":"z"');
  });

  it.each([
    ['a merge patch', mergePatch, '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
    ['a strategic patch', 'application/strategic-merge-patch+json', '{"__proto__":{"polluted":true}}'],
    ['a patch of metadata', mergePatch, '{"metadata":{"__proto__":{"polluted":true}}}'],
    ['a JSON patch', 'application/json-patch+json', '[{"op":"add","path":"/__proto__","value":{"polluted":true}}]'],
  ])('are not changed by %s', async (_, type, patch) => {
    const path = await newNamespace(t.client);
    const before = await t.client.send('POST', path, configMap('a'));
    const reply = await t.client.send('PATCH', `${path}/a`, patch, { 'content-type': type });
    expect([reply.status, reply.text.trim()]).toEqual([200, before.text.trim()]);
    expect(reply.headers.warning).toMatch(/unknown field/);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('do not exist as paths of a JSON patch', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    for (const pointer of [
      '/__proto__/polluted',
      '/constructor/prototype/polluted',
      '/metadata/__proto__/polluted',
      '/data/length/x',
    ]) {
      const patch = [{ op: 'add', path: pointer, value: true }];
      const reply = await t.client.send('PATCH', `${path}/a`, patch, { 'content-type': 'application/json-patch+json' });
      expect(reply.body).toMatchObject(statusLike(422, 'Invalid'));
    }
  });

  it('do not match as labels', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    await t.client.send('POST', path, configMap('b', { constructor: 'x', toString: 'y' }));
    const names = async (selector: string) => {
      const { body } = await t.client.get(`${path}?labelSelector=${encodeURIComponent(selector)}`);
      return body.items
        .map((item: { metadata: { name: string } }) => item.metadata.name)
        .filter((name: string) => name.length === 1);
    };
    expect(await names('constructor')).toEqual(['b']);
    expect(await names('!toString')).toEqual(['a']);
    expect(await names('valueOf')).toEqual([]);
    expect(await names('constructor notin (x)')).toEqual(['a']);
  });

  it.each(['__proto__', 'a b', 'x/y/z', ''])('%j is an invalid label', async (label) => {
    const path = await newNamespace(t.client);
    const body = `{"metadata":{"name":"a","labels":{"${label}":"x"}}}`;
    expect((await t.client.send('POST', path, body)).body).toMatchObject(
      statusLike(422, 'Invalid', /metadata\.labels: Invalid value/),
    );
  });

  it.each([
    ['accept', 'application/json;as=constructor;g=meta.k8s.io;v=v1', 406],
    ['accept', 'application/json;as=__proto__;g=meta.k8s.io;v=v1', 406],
    ['accept', 'application/json;__proto__=x;constructor=y', 200],
  ])('have no meaning in the header %s: %s', async (header, value, status) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a'));
    expect((await t.client.get(`${path}/a`, { [header]: value })).status).toBe(status);
  });
});

describe('integers', () => {
  const fields = (value: string) => `{"f:metadata":{"f:x":${value}}}`;
  const withFields = (value: string) =>
    `{"metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":${fields(value)}}]}}`;

  it.each(['9007199254740993', '9223372036854775807', '-9223372036854775808', '1.5', '1e3'])(
    'of 64 bits are preserved in fields of any type: %s',
    async (value) => {
      const path = await newNamespace(t.client);
      const { text, status } = await t.client.send('POST', path, withFields(value));
      expect(status).toBe(201);
      if (text.includes('managedFields')) expect(text).toContain(value === '1e3' ? fields('1000') : fields(value));
    },
  );

  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const int32 = 'Go struct field LeaseSpec.spec.leaseTransitions of type int32';
  it.each([
    ['2147483647', 201, ''],
    ['2147483648', 400, `json: cannot unmarshal number 2147483648 into ${int32}`],
    ['-2147483649', 400, `json: cannot unmarshal number -2147483649 into ${int32}`],
    ['9223372036854775808', 400, int32],
    ['1.5', 400, `json: cannot unmarshal number 1.5 into ${int32}`],
    ['"1"', 400, `json: cannot unmarshal string into ${int32}`],
    ['1e999', 400, 'cannot unmarshal number 1e999'],
  ])('of 32 bits have their range checked: %s', async (value, status, message) => {
    const body = `{"metadata":{"name":"l"},"spec":{"leaseTransitions":${value}}}`;
    const reply = await t.client.send('POST', `${leases}?dryRun=All`, body);
    expect(reply.status).toBe(status);
    if (status !== 201) expect(reply.body.message).toContain(message);
  });
});

describe('a duplicate key', () => {
  const body = '{"metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2"},"data":{"x":"3"}}';

  it('causes a warning, and the last value wins', async () => {
    const path = await newNamespace(t.client);
    const reply = await t.client.send('POST', path, body);
    expect(reply.body).toMatchObject({ metadata: { name: 'b' }, data: { x: '3' } });
    for (const field of ['metadata.name', 'data.x', 'data'])
      expect(reply.headers.warning).toContain(`duplicate field \\"${field}\\"`);
  });

  it('is refused with fieldValidation=Strict', async () => {
    const path = await newNamespace(t.client);
    const reply = await t.client.send('POST', `${path}?fieldValidation=Strict`, body);
    expect(reply.body).toMatchObject(statusLike(400, 'BadRequest', /strict decoding error: .*duplicate field "metadata\.name"/));
  });
});
