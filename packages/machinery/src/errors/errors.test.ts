import { describe, expect, it } from 'vitest';
import { FieldErrors } from './field-errors.ts';
import { path } from './field-path.ts';
import { statusBody } from './status.ts';
import { StatusError } from './status-error.ts';

const pods = { group: '', resource: 'pods' };
const deployments = { group: 'apps', resource: 'deployments' };

describe('status errors', () => {
  it.each<[string, StatusError, number, string | undefined, string]>([
    ['badRequest', StatusError.badRequest('no'), 400, 'BadRequest', 'no'],
    ['unauthorized', StatusError.unauthorized(), 401, 'Unauthorized', 'Unauthorized'],
    ['forbidden', StatusError.forbidden(deployments, 'd', 'why'), 403, 'Forbidden', 'deployments.apps "d" is forbidden: why'],
    ['forbidden collection', StatusError.forbidden(pods, '', 'why'), 403, 'Forbidden', 'pods is forbidden: why'],
    ['forbidden path', StatusError.forbidden(undefined, '', 'why'), 403, 'Forbidden', 'forbidden: why'],
    ['notFound', StatusError.notFound(pods, 'p"'), 404, 'NotFound', 'pods "p\\"" not found'],
    ['pathNotFound', StatusError.pathNotFound(), 404, 'NotFound', 'the server could not find the requested resource'],
    [
      'methodNotSupported',
      StatusError.methodNotSupported(deployments, 'create'),
      405,
      'MethodNotAllowed',
      'create is not supported on resources of kind "deployments.apps"',
    ],
    [
      'methodNotAllowed',
      StatusError.methodNotAllowed(),
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    ],
    [
      'notAcceptable',
      StatusError.notAcceptable(['a', 'b']),
      406,
      'NotAcceptable',
      'only the following media types are accepted: a, b',
    ],
    ['alreadyExists', StatusError.alreadyExists(pods, 'p'), 409, 'AlreadyExists', 'pods "p" already exists'],
    ['conflict', StatusError.conflict(pods, 'p', 'x'), 409, 'Conflict', 'Operation cannot be fulfilled on pods "p": x'],
    ['gone', StatusError.gone('x'), 410, 'Gone', 'x'],
    ['resourceExpired', StatusError.resourceExpired('x'), 410, 'Expired', 'x'],
    ['tooLarge', StatusError.requestEntityTooLarge('x'), 413, 'RequestEntityTooLarge', 'Request entity too large: x'],
    [
      'mediaType',
      StatusError.unsupportedMediaType(['a']),
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: a',
    ],
    ['tooManyRequests', StatusError.tooManyRequests('x', 1), 429, 'TooManyRequests', 'x'],
    ['internalError', StatusError.internalError('x'), 500, 'InternalError', 'Internal error occurred: x'],
    [
      'serverTimeout',
      StatusError.serverTimeout(pods, 'list', 1),
      500,
      'ServerTimeout',
      'The list operation against pods could not be completed at this time, please try again.',
    ],
    ['serviceUnavailable', StatusError.serviceUnavailable('x'), 503, 'ServiceUnavailable', 'x'],
    ['timeout', StatusError.timeout('x'), 504, 'Timeout', 'Timeout: x'],
    [
      'generic 500',
      StatusError.generic(500, 'boom'),
      500,
      'InternalError',
      'an error on the server ("boom") has prevented the request from succeeding',
    ],
    [
      'generic 422',
      StatusError.generic(422, 'x', { verb: 'PATCH', resource: pods, name: 'p' }),
      422,
      'Invalid',
      'the server rejected our request due to an error in our request (patch pods p)',
    ],
    [
      'generic 418',
      StatusError.generic(418),
      418,
      undefined,
      'the server responded with the status code 418 but did not return more information',
    ],
  ])('%s', (_name, error, code, reason, message) => {
    expect(error).toMatchObject({ code, reason, message });
  });

  it('writes fields in the order of Kubernetes, without empty ones', () => {
    const body = statusBody(StatusError.tooLargeResourceVersion(9, 5).status);
    expect(JSON.stringify(body)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}',
    );
    expect(JSON.stringify(statusBody(StatusError.methodNotAllowed().status))).toContain('"details":{},"code":405');
    const success = statusBody({ status: 'Success', details: { name: 'n', kind: 'configmaps', uid: 'u' } });
    expect(JSON.stringify(success)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"n","kind":"configmaps","uid":"u"}}',
    );
  });

  it('lists a repeated error once in the message and every time in the causes', () => {
    const errors = new FieldErrors();
    errors.invalid(path('metadata', 'uid'), 'nope', 'field is immutable');
    errors.invalid(path('metadata', 'uid'), 'nope', 'field is immutable');
    const { status } = StatusError.invalid({ group: '', kind: 'ConfigMap' }, 'mp', errors);
    expect(status.message).toBe('ConfigMap "mp" is invalid: metadata.uid: Invalid value: "nope": field is immutable');
    expect(status.details?.causes).toHaveLength(2);
    errors.required(path('spec'));
    expect(StatusError.invalid({ group: 'g', kind: 'K' }, 'mp', errors).message).toBe(
      'K.g "mp" is invalid: [metadata.uid: Invalid value: "nope": field is immutable, spec: Required value]',
    );
    expect(StatusError.invalid({ group: 'g', kind: 'K' }, 'x', new FieldErrors()).message).toBe('K.g "x" is invalid');
  });
});

describe('field errors', () => {
  const at = path('spec', 'list').index(0).child('map').key('a.b');
  it.each<[string, (errors: FieldErrors) => void, string]>([
    ['required', (errors) => errors.required(at, 'x'), 'Required value: x'],
    ['invalid string', (errors) => errors.invalid(at, 'a"\n\u0001é\u200b', 'x'), 'Invalid value: "a\\"\\n\\x01é\\u200b": x'],
    ['invalid number', (errors) => errors.invalid(at, -1.5, 'x'), 'Invalid value: -1.5: x'],
    ['invalid bigint', (errors) => errors.invalid(at, 2n ** 60n, ''), 'Invalid value: 1152921504606846976'],
    ['invalid null', (errors) => errors.invalid(at, undefined, 'x'), 'Invalid value: null: x'],
    ['invalid object', (errors) => errors.invalid(at, { a: ['<'] }, 'x'), 'Invalid value: {"a":["\\u003c"]}: x'],
    [
      'notSupported',
      (errors) => errors.notSupported(at, ['Some'], ['All']),
      'Unsupported value: ["Some"]: supported values: "All"',
    ],
    ['notSupported, none', (errors) => errors.notSupported(at, 'a', []), 'Unsupported value: "a"'],
    ['notFound', (errors) => errors.notFound(at, 'a'), 'Not found: "a"'],
    ['duplicate', (errors) => errors.duplicate(at, 'a'), 'Duplicate value: "a"'],
    ['forbidden', (errors) => errors.forbidden(at, 'x'), 'Forbidden: x'],
    ['tooLong', (errors) => errors.tooLong(at, 63), 'Too long: may not be more than 63 bytes'],
    ['tooLong by one', (errors) => errors.tooLong(at, 1), 'Too long: may not be more than 1 byte'],
    ['tooLongCharacters', (errors) => errors.tooLongCharacters(at, 2), 'Too long: may not be more than 2 characters'],
    ['tooMany', (errors) => errors.tooMany(at, 3, 2), 'Too many: 3: must have at most 2 items'],
    ['tooMany unknown', (errors) => errors.tooMany(at, -1, 1), 'Too many: must have at most 1 item'],
    ['typeInvalid', (errors) => errors.typeInvalid(at, 1, 'x'), 'Invalid value: 1: x'],
    ['internal', (errors) => errors.internal(at, 'x'), 'Internal error: x'],
  ])('%s', (_name, add, body) => {
    const errors = new FieldErrors();
    add(errors);
    expect(errors.list[0]).toMatchObject({ field: 'spec.list[0].map[a.b]', body });
  });

  it('only counts errors beyond the limit', () => {
    const some = new FieldErrors();
    for (let i = 0; i < 998; i++) some.required(path('a').index(i));
    const more = new FieldErrors();
    for (let i = 0; i < 1005; i++) more.required(path('b').index(i));
    some.addAll(more);
    some.required(path('c'));
    expect(some.causes()).toHaveLength(1000);
    expect(some.toString()).toMatch(/^\[a\[0\]: Required value, .*, b\[1\]: Required value, and 1004 more\]$/);
  });

  it('prints an absent path like Go', () => {
    const errors = new FieldErrors();
    errors.invalid(undefined, 'a', 'b');
    expect(errors.toString()).toBe('<nil>: Invalid value: "a": b');
  });
});

it.each([
  [path('spec', 'list').index(0).child('map').key('a.b'), 'spec.list[0].map[a.b]'],
  [path(''), '[]'],
])('formats a path as %s', (at, text) => expect(String(at)).toBe(text));
