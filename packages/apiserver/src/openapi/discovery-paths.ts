import type { ApiGroup, ApiVersion } from '../discovery/api-group.ts';
import { apiGroupListType, apiGroupType, apiResourceListType, apiVersionsType, versionInfoType } from './meta-types.ts';
import { type Operation, objectMedia, type Path } from './operation.ts';
import { operationScope } from './operation-name.ts';

/** The paths that tell what else there is. */
export const corePath: Path = discoveryPath('/api/', 'core', 'getCoreAPIVersions', 'get available API versions', apiVersionsType);
export const groupsPath: Path = discoveryPath('/apis/', 'apis', 'getAPIVersions', 'get available API versions', apiGroupListType);

export const versionPath: Path = {
  path: '/version/',
  operations: [
    {
      ...getOperation('version', 'getCodeVersion', 'get the version information for this server', versionInfoType),
      consumes: ['application/json'],
      produces: ['application/json'],
    },
  ],
};

export function groupPath({ name }: ApiGroup): Path {
  const { tag, infix } = operationScope(name);
  return discoveryPath(`/apis/${name}/`, tag, `get${infix}APIGroup`, 'get information of a group', apiGroupType);
}

export function resourceListPath({ group, version, groupVersion }: ApiVersion): Path {
  const { tag, infix } = operationScope(group, version);
  const path = `/${group === '' ? 'api' : 'apis'}/${groupVersion}/`;
  return discoveryPath(path, tag, `get${infix}APIResources`, 'get available resources', apiResourceListType);
}

function discoveryPath(path: string, tag: string, id: string, description: string, type: string): Path {
  return { path, operations: [getOperation(tag, id, description, type)] };
}

function getOperation(tag: string, id: string, description: string, type: string): Operation {
  return {
    method: 'get',
    id,
    tag,
    description,
    parameters: [],
    consumes: objectMedia,
    produces: objectMedia,
    responses: [{ code: 200, type }],
  };
}
