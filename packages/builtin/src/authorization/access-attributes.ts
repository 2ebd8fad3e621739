import type { AccessAttributes, User } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { objectIn, textIn, textsIn } from '../core/pod-spec/members.ts';

/** What is asked about; the spec has been validated. */
export function accessIn(spec: JsonObject): AccessAttributes {
  const resource = objectIn(spec, 'resourceAttributes');
  const path = objectIn(spec, 'nonResourceAttributes');
  if (!resource) return { of: 'path', verb: textIn(path, 'verb'), path: textIn(path, 'path') };
  return {
    of: 'resource',
    verb: textIn(resource, 'verb'),
    group: textIn(resource, 'group'),
    version: textIn(resource, 'version'),
    resource: textIn(resource, 'resource'),
    subresource: textIn(resource, 'subresource'),
    namespace: textIn(resource, 'namespace'),
    name: textIn(resource, 'name'),
  };
}

/** Who is asked about. */
export function subjectIn(spec: JsonObject): User {
  const extra = new Map<string, readonly string[]>();
  const given = objectIn(spec, 'extra') ?? {};
  for (const key of Object.keys(given)) extra.set(key, textsIn(given, key));
  return {
    name: textIn(spec, 'user'),
    uid: textIn(spec, 'uid'),
    groups: textsIn(spec, 'groups'),
    extra: Object.fromEntries(extra),
  };
}
