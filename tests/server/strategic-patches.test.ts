import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

describe('a strategic merge patch', () => {
  const t = useServer();

  const patched = async (patch: string, query = '') => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a', {}, { a: 'b' }));
    return t.client.send('PATCH', `${path}/a${query}`, patch, strategic);
  };

  it.each([
    ['{"data":{"x":1}}', 'map[data:map[x:1]]', 'cannot convert int64 to string'],
    ['{"data":{"x":true}}', 'map[data:map[x:true]]', 'unrecognized type: string'],
    ['{"data":{"x":1.5}}', 'map[data:map[x:1.5]]', 'unrecognized type: string'],
    ['{"data":{"x":[1]}}', 'map[data:map[x:[1]]]', 'unrecognized type: string'],
    ['{"data":[]}', 'map[data:[]]', 'cannot restore map from slice'],
    ['{"data":"x"}', 'map[data:x]', 'cannot restore map from string'],
    ['{"immutable":"x"}', 'map[immutable:x]', 'unrecognized type: bool'],
    ['{"metadata":5}', 'map[metadata:5]', 'cannot restore struct from: int64'],
    ['{"metadata":{"finalizers":"x"}}', 'map[metadata:map[finalizers:x]]', 'cannot restore slice from string'],
    ['{"metadata":{"generation":1.5}}', 'map[metadata:map[generation:1.5]]', 'cannot convert float64 to int64'],
    [
      '{"metadata":{"creationTimestamp":5}}',
      'map[metadata:map[creationTimestamp:5]]',
      'json: cannot unmarshal number into Go value of type string',
    ],
    ['{"binaryData":{"a":5}}', 'map[binaryData:map[a:5]]', 'cannot restore slice from int64'],
    ['{"binaryData":{"a":"!!"}}', 'map[binaryData:map[a:!!]]', 'error decoding from json: illegal base64 data at input byte 0'],
  ])('%s has an invalid type, and is quoted in the error', async (patch, shown, problem) => {
    const { status, body } = await patched(patch);
    expect(status).toBe(422);
    expect(body.message).toBe(` "" is invalid: patch: Invalid value: ${JSON.stringify(shown)}: ${problem}`);
  });

  it('with an unknown field is quoted in the error', async () => {
    const { body } = await patched('{"dta":1}', '?fieldValidation=Strict');
    expect(body.message).toBe(' "" is invalid: patch: Invalid value: "map[dta:1]": strict decoding error: unknown field "dta"');
  });

  it.each([
    ['{a', "invalid character 'a' looking for beginning of object key string"],
    ['[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['5', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
  ])('%s is not a patch', async (patch, message) => {
    expect((await patched(patch)).body).toMatchObject({ code: 400, message });
  });

  it('of null changes nothing', async () => {
    expect((await patched('null')).body.data).toEqual({ a: 'b' });
  });
});
