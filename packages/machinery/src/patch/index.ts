export { jsonPatch, jsonPatchStrictErrors } from './json-patch.ts';
export { mergePatch } from './merge-patch.ts';
export { consumedPatch, strategicMergeNotSupported, strategicMergePatch } from './strategic/index.ts';
