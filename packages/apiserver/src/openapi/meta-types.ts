/** Names of the types that every API has, whatever its resources. */
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const statusType = `${meta}.Status`;
export const deleteOptionsType = `${meta}.DeleteOptions`;
export const patchType = `${meta}.Patch`;
export const watchEventType = `${meta}.WatchEvent`;
export const apiResourceListType = `${meta}.APIResourceList`;
export const apiGroupType = `${meta}.APIGroup`;
export const apiGroupListType = `${meta}.APIGroupList`;
export const apiVersionsType = `${meta}.APIVersions`;
export const versionInfoType = 'io.k8s.apimachinery.pkg.version.Info';
