export { type NameAttribute, nameAttributes, nameValues, readDistinguishedName } from './distinguished-name.ts';
export type { DerElement } from './reader.ts';
export { derElements, insideDer, MalformedDer } from './reader.ts';
