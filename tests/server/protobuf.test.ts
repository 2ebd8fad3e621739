import { request } from 'node:https';
import { builtinTypes } from '@tsukube/api';
import { decodeProtobuf, encodeProtobuf, unwrapProtobuf, wrapProtobuf } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const t = useServer();
const protobuf = 'application/vnd.kubernetes.protobuf';
const core = (kind: string) => builtinTypes.get(`io.k8s.api.core.v1.${kind}`);

function send(method: string, path: string, accept: string, body?: Buffer): Promise<{ type: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { accept, ...(body ? { 'content-type': protobuf, 'content-length': body.length } : {}) };
    const sent = request(t.client.url + path, { method, headers, ...t.client.tls }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ type: response.headers['content-type'], bytes: Buffer.concat(chunks) });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('protobuf', () => {
  it('objects are the same as in JSON', async () => {
    const path = await newNamespace(t.client);
    const body = wrapProtobuf(
      'v1',
      'ConfigMap',
      encodeProtobuf(configMap('a', { l: '1' }, { k: 'v' }), core('ConfigMap'), builtinTypes),
    );
    const { type, bytes } = await send('POST', path, protobuf, body);
    expect(type).toBe(protobuf);
    const { apiVersion, kind, raw } = unwrapProtobuf(bytes);
    const json = (await t.client.get(`${path}/a`)).body;
    expect({ kind, apiVersion, ...decodeProtobuf(raw, core('ConfigMap'), builtinTypes) }).toEqual(json);
    expect(json.metadata.generateName).toBeUndefined();
  });

  it('lists have the same items as in JSON', async () => {
    const path = await newNamespace(t.client);
    for (const name of ['a', 'b', 'c']) await t.client.send('POST', path, configMap(name, { own: 'yes' }, { k: name }));
    const { bytes } = await send('GET', `${path}?labelSelector=own`, protobuf);
    const { kind, raw } = unwrapProtobuf(bytes);
    expect(kind).toBe('ConfigMapList');
    const list = decodeProtobuf(raw, core('ConfigMapList'), builtinTypes);
    expect(list.items).toEqual((await t.client.get(`${path}?labelSelector=own`)).body.items);
  });

  it('lists can be empty', async () => {
    const path = await newNamespace(t.client);
    const { raw } = unwrapProtobuf((await send('GET', `${path}?labelSelector=none`, protobuf)).bytes);
    expect(decodeProtobuf(raw, core('ConfigMapList'), builtinTypes).metadata).toHaveProperty('resourceVersion');
  });

  it('watch events are framed', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap('a', { own: 'yes' }));
    const { type, bytes } = await send(
      'GET',
      `${path}?watch=1&labelSelector=own&timeoutSeconds=1&allowWatchBookmarks=true`,
      protobuf,
    );
    expect(type).toBe(`${protobuf};stream=watch`);
    const frames: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32BE(at))
      frames.push(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at)));
    expect(frames).toHaveLength(2);
    expect(frames[0]?.toString('latin1')).toContain('ADDED');
    expect(frames[1]?.toString('latin1')).toContain('BOOKMARK');
  });

  it('Tables fall back to the next accepted type', async () => {
    const path = await newNamespace(t.client);
    const accept = `${protobuf};as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1`;
    expect((await send('GET', path, accept)).type).toBe('application/json');
  });
});
