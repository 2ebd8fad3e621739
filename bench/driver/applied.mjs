import { objectName } from './config-map.mjs';

/** Number of managers per object, each with its own keys. */
export const managers = 3;
const keys = 10;
const value = 'The quick brown fox jumps over the lazy dog. '.repeat(2).slice(0, 80);

/** The configuration of a manager: about 1 KB, of which one key changes with every write. @type {readonly string[]} */
const parts = Array.from({ length: managers }, (_, manager) =>
  Array.from({ length: keys }, (_, key) => `"part-${manager}-key-${key}":"${value}"`).join(','),
);

/** @param {string} prefix @param {number} index @param {number} manager @param {string} stamp */
export function encodeConfiguration(prefix, index, manager, stamp) {
  const data = `{${parts[manager]},"part-${manager}-stamp":"${stamp}"}`;
  return Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${objectName(prefix, index)}"},"data":${data}}`);
}
