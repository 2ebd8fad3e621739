import { describe, expect, it } from 'vitest';
import { credentialRedaction } from '../filters/authentication.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { type Authenticated, type Identification, refused, type TokenAuthenticator } from './authenticator.ts';
import { bearerAuthenticator, withApiAudiences } from './bearer-token.ts';
import { cachedTokenAuthenticator } from './token-cache.ts';
import { unionTokenAuthenticator, withAuthenticatedGroup } from './union.ts';
import { webSocketAuthenticator } from './websocket-token.ts';

const someone: Authenticated = { user: { name: 'ann', groups: [] } };

describe('union of authenticators', () => {
  const knows =
    (found: Identification): TokenAuthenticator =>
    () =>
      found;
  const later =
    (found: Identification): TokenAuthenticator =>
    async () =>
      found;

  it.each<[string, TokenAuthenticator[], Identification]>([
    ['no authenticators', [], undefined],
    ['no authenticator has an opinion', [knows(undefined), later(undefined)], undefined],
    ['the first that succeeds', [knows(undefined), knows(someone), knows(refused('x'))], someone],
    ['one succeeds asynchronously', [later(undefined), later(someone)], someone],
    ['one fails, another succeeds', [later(refused('x')), knows(someone)], someone],
    ['all reasons', [knows(refused('x')), later(refused('y')), knows(undefined)], { refused: ['x', 'y'] }],
  ])('%s', async (_what, all, expected) => {
    expect(await unionTokenAuthenticator(all)('t', undefined)).toEqual(expected);
  });

  it('strict: the first failure is final', async () => {
    expect(await unionTokenAuthenticator([later(refused('x')), knows(someone)], true)('t', undefined)).toEqual(refused('x'));
  });
});

describe('withAuthenticatedGroup', () => {
  it.each([
    [['a'], ['a', 'system:authenticated']],
    [['system:authenticated'], ['system:authenticated']],
    [['system:unauthenticated'], ['system:unauthenticated']],
  ])('%j', async (groups, expected) => {
    const found = withAuthenticatedGroup(() => ({ user: { name: 'ann', groups } }))();
    expect(((await found) as Authenticated).user.groups).toEqual(expected);
  });
});

describe('withApiAudiences', () => {
  const known = withApiAudiences(['api', 'other'], () => someone);
  it.each<[readonly string[] | undefined, unknown]>([
    [undefined, someone],
    [['api', 'x'], { ...someone, audiences: ['api'] }],
    [['x'], undefined],
  ])('%j', async (asked, expected) => {
    expect(await known('t', asked)).toEqual(expected);
  });
});

describe('token cache', () => {
  function remembering(found: (token: string) => Identification, options = {}) {
    let calls = 0;
    let time = 0;
    const ask: TokenAuthenticator = async (token) => {
      calls++;
      return found(token);
    };
    const cached = cachedTokenAuthenticator(ask, {
      successTtlMs: 10,
      failureTtlMs: 0,
      keepsRefusals: true,
      now: () => time,
      ...options,
    });
    return { cached, calls: () => calls, wait: (ms: number) => (time += ms) };
  }

  it('caches for the TTL', async () => {
    const { cached, calls, wait } = remembering(() => someone);
    for (let i = 0; i < 3; i++) expect(await cached('t', ['a'])).toBe(someone);
    expect(calls()).toBe(1);
    wait(11);
    await cached('t', ['a']);
    expect(calls()).toBe(2);
  });

  it('distinguishes tokens and audiences', async () => {
    const { cached, calls } = remembering(() => someone);
    for (const [token, audiences] of [
      ['t', ['ab']],
      ['t', ['a', 'b']],
      ['t', undefined],
      ['ta', ['b']],
    ] as const)
      await cached(token, audiences);
    expect(calls()).toBe(4);
  });

  it('shares concurrent lookups', async () => {
    const { cached, calls } = remembering(() => someone);
    await Promise.all([cached('t', undefined), cached('t', undefined)]);
    expect(calls()).toBe(1);
  });

  it('caches failures only if configured', async () => {
    const plain = remembering(() => refused('x'));
    await plain.cached('t', undefined);
    await plain.cached('t', undefined);
    expect(plain.calls()).toBe(2);
    const keeping = remembering((token) => (token === 'r' ? refused('x') : undefined), {
      failureTtlMs: 10,
      keepsRefusals: false,
    });
    for (const token of ['r', 'r', 'u', 'u']) await keeping.cached(token, undefined);
    expect(keeping.calls()).toBe(3);
  });

  it('rechecks identities, and drops them when the recheck fails', async () => {
    let holds = true;
    const rechecked: Authenticated = { ...someone, recheck: () => (holds ? rechecked : refused('gone')) };
    const { cached, calls, wait } = remembering(() => rechecked);
    await cached('t', undefined);
    wait(60_000);
    expect(await cached('t', undefined)).toBe(rechecked);
    expect(calls()).toBe(1);
    holds = false;
    expect(await cached('t', undefined)).toEqual(refused('gone'));
    await cached('t', undefined);
    expect(calls()).toBe(2);
  });

  it('is bounded', async () => {
    const { cached, calls } = remembering(() => someone, { maxEntries: 2 });
    for (const token of ['a', 'b', 'c', 'a']) await cached(token, undefined);
    expect(calls()).toBe(4);
  });
});

describe('the Authorization header', () => {
  const seen: string[] = [];
  const authenticate = bearerAuthenticator((token) => {
    seen.push(token);
    return someone;
  }, []);
  it.each<[string, string | undefined, number]>([
    ['Bearer abc', 'abc', 0],
    ['bearer abc', 'abc', 0],
    ['  BEARER abc def  ', 'abc', 0],
    ['Bearer  abc', undefined, 1],
    ['Bearer', undefined, 0],
    ['Bearer ', undefined, 0],
    ['Basic abc', undefined, 0],
  ])('%s', (header, token, warnings) => {
    let warned = 0;
    const connection = {};
    const request = { exchange: { header: () => header, connection }, warn: () => warned++ } as unknown as ApiRequest;
    expect(authenticate(request)).toBe(token === undefined ? undefined : someone);
    if (token !== undefined) expect(seen.at(-1)).toBe(token);
    expect(warned).toBe(warnings);
  });
});

describe('a token among the subprotocols of a WebSocket', () => {
  const encoded = (token: string) => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const authenticate = webSocketAuthenticator((token) => (token === 'good' ? someone : undefined), []);
  const ask = (header: string | undefined, upgrade = true) =>
    authenticate({ exchange: { header: () => header, upgrade } } as unknown as ApiRequest);

  it.each<[string, string | undefined, Identification]>([
    ['none', 'v4.channel.k8s.io', undefined],
    ['no header', undefined, undefined],
    ['beside another', `${encoded('good')}, v4.channel.k8s.io`, someone],
    ['alone', encoded('good'), refused('missing additional subprotocol')],
    ['twice', `${encoded('good')},${encoded('good')},x`, refused('multiple base64.bearer.authorization tokens specified')],
    ['wrong', `x, ${encoded('bad')}`, refused('invalid bearer token')],
    [
      'not encoded',
      'x, base64url.bearer.authorization.k8s.io.a+b=',
      refused('invalid base64.bearer.authorization token encoding'),
    ],
    ['no text', 'x, base64url.bearer.authorization.k8s.io._w', refused('invalid base64.bearer.authorization token')],
  ])('%s', (_what, header, expected) => {
    expect(ask(header)).toEqual(expected);
  });

  it('is used for WebSocket requests only', () => {
    expect(ask(`${encoded('good')}, x`, false)).toBeUndefined();
  });

  it('is removed from the headers for handlers', () => {
    const redact = credentialRedaction((name) => name === 'authorization');
    expect(redact('sec-websocket-protocol', `${encoded('good')}, v4.channel.k8s.io`)).toBe('v4.channel.k8s.io');
    expect(redact('authorization', 'Bearer x')).toBeUndefined();
    expect(redact('x-other', 'y')).toBe('y');
  });
});
