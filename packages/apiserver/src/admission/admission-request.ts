import type { GroupVersion, JsonObject } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';
import { requestKind, type VersionedAttributes } from './versioned-attributes.ts';

/**
 * The fields of an AdmissionRequest that say what is requested, and by whom, without those that are empty. `version` is that of
 * `resource`, which need not be that of the objects.
 */
export function requestDescription({ attributes, kind }: VersionedAttributes, version: GroupVersion): JsonObject {
  const { subresource, name, namespace, operation, user } = attributes;
  const { plural } = attributes.resource.names;
  const resourceIn = (served: GroupVersion) => ({ group: served.group, version: served.version, resource: plural });
  return {
    kind: { ...kind },
    resource: resourceIn(version),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: { ...requestKind(attributes) },
    requestResource: resourceIn(attributes.version),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userInfo(user),
  };
}

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    ...(name !== '' && { username: name }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extra && Object.keys(extra).length > 0 && { extra: extra as { [key: string]: string[] } }),
  };
}
