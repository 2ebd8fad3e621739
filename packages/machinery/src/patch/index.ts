export { type JsonDiffOperation, jsonDiff } from './json-diff.ts';
export { jsonPatch, jsonPatchStrictErrors } from './json-patch.ts';
export { mergePatch } from './merge-patch.ts';
export { PatchFailure, PatchTestFailure } from './patched-document.ts';
export { consumedPatch, strategicMergeNotSupported, strategicMergePatch } from './strategic/index.ts';
